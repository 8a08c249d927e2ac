/** What filling the form changed, in the form's own words: "rank 16 → 64". So that a pasted command or a clone never changes something unseen. */
import type { SettingDescription } from '../../../main/contract/settings.ts';
import type { DraftRequest } from '../../../main/contract/window/draft.ts';
import { settingLabel, valueOf, valueText } from './fields.ts';

/** Longer values are not said: the name of what changed is enough to look there. */
const saidLength = 28;

function said(name: string, before: unknown, after: unknown): string {
  const [from, to] = [valueText(before), valueText(after)];
  return from.length > saidLength || to.length > saidLength ? name : `${name} ${from} → ${to}`;
}

const fields: [keyof DraftRequest, string][] = [
  ['recipe', 'recipe'],
  ['model', 'model'],
  ['processor', 'processor'],
  ['rowsFolders', 'rows folders'],
  ['output', 'out'],
  ['name', 'name'],
  ['allowBad', 'allow-bad'],
  ['ranks', 'ranks'],
];

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** In the order of the form. Settings count by their value: one that is set to its default is no change. */
export function changesInWords(
  before: DraftRequest,
  after: DraftRequest,
  settings: readonly SettingDescription[],
): string[] {
  const words: string[] = [];
  for (const [key, name] of fields) {
    const [from, to] = [before[key], after[key]].map((value) =>
      Array.isArray(value) ? value.filter((each) => each !== '') : value,
    );
    if (!same(from, to)) words.push(said(name, from, to));
  }
  for (const setting of settings) {
    const [from, to] = [valueOf(setting, before.settings), valueOf(setting, after.settings)];
    if (!same(from, to)) words.push(said(settingLabel(setting.name), from, to));
  }
  return words;
}
