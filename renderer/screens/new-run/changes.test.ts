import { expect, it } from 'vitest';
import type { SettingDescription } from '../../../main/contract/settings.ts';
import { emptyRequest } from '../../stores/draft.ts';
import { changesInWords } from './changes.ts';

const setting = (name: string, value: SettingDescription['default'], kind: SettingDescription['kind'] = 'number') => ({
  ...{ name, kind, flag: `--${name}`, default: value, meaning: '' },
});
const settings = [
  setting('rank', 16),
  setting('lr', 1e-4),
  setting('recompute', true, 'switch'),
  setting('initAdapter', null, 'text'),
];

it('says what differs, in the order of the form', () => {
  const before = emptyRequest();
  const after = {
    ...before,
    rowsFolders: ['/data/a-folder-with-quite-a-long-name'],
    allowBad: 2,
    settings: { lr: 5e-5, rank: 64, recompute: false, initAdapter: 'pooled' },
  };
  expect(changesInWords(before, after, settings)).toEqual([
    'rows folders',
    'allow-bad 0 → 2',
    'rank 16 → 64',
    'lr 1e-4 → 5e-5',
    'recompute on → off',
    'init-adapter none → pooled',
  ]);
});

it('does not count a default that is said, nor an empty line of the folders', () => {
  const before = emptyRequest();
  expect(changesInWords(before, { ...before, rowsFolders: [], settings: { lr: 1e-4 } }, settings)).toEqual([]);
});

it('says what goes back to its default', () => {
  const before = { ...emptyRequest(), settings: { rank: 64 } };
  expect(changesInWords(before, emptyRequest(), settings)).toEqual(['rank 64 → 16']);
});
