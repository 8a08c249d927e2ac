/** The command-line flags of webmix: the Python trainer's own, then ours. */
import { parseCommaList, parsePythonInteger, parsePythonNumber } from '../flags.ts';
import type { RecipeFlag } from '../flags.ts';
import { splitLikePython } from './episode-list.ts';
import { webmixSettings } from './settings.ts';
import type { WebmixSettingName } from './settings.ts';

type Setting = (typeof webmixSettings)[number];

/** Settings whose flag is not read by kind alone. */
const special: Partial<Record<WebmixSettingName, Pick<RecipeFlag, 'takes' | 'parse'> & { meaning?: string }>> = {
  episodeIds: { takes: 'file', parse: splitLikePython },
  recompute: {
    takes: 'nothing',
    parse: () => false,
    meaning: "keep every layer's activations for the backward pass: more memory, less time",
  },
};

function read(setting: Setting): Pick<RecipeFlag, 'takes' | 'parse'> {
  const { flag } = setting;
  switch (setting.kind) {
    case 'integer':
      return { takes: 'value', parse: (text) => parsePythonInteger(flag, text) };
    case 'number':
      return { takes: 'value', parse: (text) => parsePythonNumber(flag, text) };
    case 'list':
      return { takes: 'value', parse: parseCommaList };
    case 'switch':
      return { takes: 'nothing', parse: () => true };
    case 'text':
    case 'choice':
      return { takes: 'value', parse: (text) => text };
  }
}

function fromSetting(setting: Setting): RecipeFlag {
  const shown = setting.default;
  const hasDefault = typeof shown === 'string' || typeof shown === 'number';
  const choices = setting.choices ? ` (${setting.choices.join(', ')})` : '';
  return {
    flag: setting.flag,
    ...(setting.metavar === undefined ? {} : { metavar: setting.metavar }),
    target: { setting: setting.name },
    meaning: setting.meaning + choices,
    ...(hasDefault ? { shownDefault: String(shown) } : {}),
    ...(special[setting.name] ?? read(setting)),
  };
}

/** Flags of the run around the settings. `--wandb-project` is read so that pasted commands work; nothing is sent anywhere. */
const runFlags: readonly RecipeFlag[] = [
  {
    flag: '--rows-dir',
    metavar: 'FOLDER',
    target: { run: 'rowsDir' },
    meaning: 'folder of episodes, each with a rows.jsonl',
    takes: 'value',
    parse: (text) => text,
  },
  {
    flag: '--out',
    metavar: 'FOLDER',
    target: { run: 'out' },
    meaning: "the adapter's folder",
    takes: 'value',
    parse: (text) => text,
  },
  {
    flag: '--wandb-project',
    metavar: 'NAME',
    target: { run: 'wandbProject' },
    meaning: 'taken and ignored: charts are local',
    takes: 'value',
    parse: (text) => text,
  },
];

export const webmixFlags: readonly RecipeFlag[] = [...runFlags, ...webmixSettings.map(fromSetting)];
