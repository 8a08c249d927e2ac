/** Settings of a run as its page lists them: in the recipe's order, with default and meaning, then what the recipe does not know. */
import type { ShownSetting } from '../../contract/window/runs.ts';
import type { SettingDescription } from '../../contract/settings.ts';
import { isRecipeId, recipes } from '../../recipes/index.ts';
import { formatNumber } from '../draft/command-line.ts';

const mostNames = 12;

/** As a person reads it; nothing is "none". */
export function shownSetting(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'number') return formatNumber(value);
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return JSON.stringify(value);
  if (value.length === 0) return 'none';
  const names = value.slice(0, mostNames).map(shownSetting).join(', ');
  return value.length > mostNames ? `${names}, and ${value.length - mostNames} more` : names;
}

const allowBad: Pick<SettingDescription, 'name' | 'flag' | 'default' | 'meaning'> = {
  name: 'allowBad',
  flag: '--allow-bad',
  default: 0,
  meaning: 'how many rows that cannot be used may be left out',
};

/** `badRows` is a count that was found, shown by itself. */
const noSettings = new Set(['badRows']);

export function shownSettings(recipe: string, settings: Record<string, unknown>): ShownSetting[] {
  const described = isRecipeId(recipe) ? [...recipes[recipe].settings, allowBad] : [];
  const known = described.flatMap(({ name, flag, default: otherwise, meaning }): ShownSetting[] => {
    if (!(name in settings)) return [];
    const value = settings[name];
    return [
      {
        ...{ name, flag, meaning, value: shownSetting(value), default: shownSetting(otherwise) },
        differs: JSON.stringify(value) !== JSON.stringify(otherwise),
      },
    ];
  });
  const names = new Set(described.map(({ name }) => name));
  const others = Object.entries(settings)
    .filter(([name]) => !names.has(name) && !noSettings.has(name))
    .map(([name, value]) => ({
      name,
      flag: null,
      meaning: null,
      value: shownSetting(value),
      default: null,
      differs: false,
    }));
  return [...known, ...others];
}
