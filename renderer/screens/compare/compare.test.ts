import { describe, expect, it } from 'vitest';
import type { RunDetail } from '../../../main/contract/window/runs.ts';
import { settingRows } from './differences.ts';
import { differenceTo, lastScored, sharedSet } from './held-out.ts';

const scored = (rows: number, mean: number | null, hash: string, n = 60) => ({
  set: 'held-out',
  rows,
  mean,
  stderr: 0.03,
  hash,
  n,
});
const run = (id: string, evaluations: unknown[], lr = '1e-4'): RunDetail =>
  ({
    id,
    recipe: 'webmix',
    model: { path: '/q', name: 'q', revision: null },
    evaluations,
    settings: [
      { name: 'lr', flag: '--lr', meaning: 'learning rate', value: lr },
      { name: 'seed', flag: '--seed', meaning: null, value: '0' },
    ],
    rowsFolders: ['/rows'],
    totalRows: 100,
    totalSteps: 10,
    trainer: null,
  }) as unknown as RunDetail;

const a = run('a', [scored(10, 0.6, 'e41a'), scored(20, 0.5, 'e41a')]);
const b = run('b', [scored(20, 0.54, 'e41a')], '5e-5');
const c = run('c', [scored(20, 0.3, '88c0', 700)]);

describe('held-out figures', () => {
  it('count over the set that most runs share, whatever its size', () => {
    expect(sharedSet([a, b, c], null)?.hash).toBe('e41a');
    expect(sharedSet([a, c], 'c')?.hash).toBe('88c0');
    expect(sharedSet([run('d', [])], null)).toBeNull();
  });

  it('are never compared over other rows', () => {
    const set = sharedSet([a, b, c], null);
    expect(lastScored(c, set)).toBeUndefined();
    expect(differenceTo(c, a, set)).toBeNull();
    expect(differenceTo(b, a, set)?.value).toBeCloseTo(0.04);
    expect(differenceTo(b, a, set)?.stderr).toBeCloseTo(0.03 * Math.SQRT2);
    expect(differenceTo(a, a, set)).toBeNull();
  });
});

describe('settings', () => {
  it('that differ from the reference are told from those that are equal', () => {
    const rows = settingRows([a, b, c], 0);
    const differing = rows.filter((row) => !row.equal);
    expect(differing.map((row) => [row.name, row.values, row.differs])).toEqual([
      ['lr', ['1e-4', '5e-5', '1e-4'], [false, true, false]],
    ]);
    expect(rows.find((row) => row.name === 'seed')?.equal).toBe(true);
  });

  it('that a run does not have are a difference too', () => {
    const without = { ...a, settings: [] };
    const seed = settingRows([a, without], 0).find((row) => row.name === 'seed');
    expect(seed?.values).toEqual(['0', null]);
    expect(seed?.differs).toEqual([false, true]);
  });
});
