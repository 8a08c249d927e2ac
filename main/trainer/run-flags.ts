/**
 * The flags behind `run`, `plan` and `try`: the recipe's own (the Python trainer's names and defaults, read as argparse reads them, so that a pasted command
 * works) and those that every run has. The command line reads them, and so does the window where a command is pasted into it.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../contract/errors.ts';
import { fileError } from '../io/atomic-file.ts';
import { parsePythonInteger, readFlags, type RecipeFlag } from '../recipes/flags.ts';
import { recipes, type RecipeId } from '../recipes/index.ts';
import type { Environment } from '../paths.ts';
import type { RunRequest } from './launch.ts';

/** The model that the Python trainers take when nothing else is said. */
const pythonModel = 'Qwen/Qwen3.5-4B';

/** What `model` is where none is given. */
export const defaultModel = (environment: Environment = process.env): string =>
  environment['WEBMIX_BASE_MODEL'] || pythonModel;

export interface RunFlags {
  request: RunRequest;
  /** Comes back when the run is started. */
  detach: boolean;
  json: boolean;
  help: boolean;
  /** Lines about flags that were taken and do nothing. */
  notes: string[];
}

/** What is no setting of the recipe is read under these names, beside the settings. */
type Own =
  | '@model'
  | '@processor'
  | '@rowsDir'
  | '@name'
  | '@allowBad'
  | '@ranks'
  | '@detach'
  | '@json'
  | '@help'
  | '@recompute';

interface OwnFlag extends RecipeFlag {
  target: { setting: Own };
}

function ownFlags(rowsFolders: string[]): OwnFlag[] {
  const text = (flag: string, setting: Own, metavar: string, meaning: string): OwnFlag => ({
    ...{ flag, metavar, target: { setting }, meaning, takes: 'value' },
    parse: (word) => word,
  });
  const number = (flag: string, setting: Own, meaning: string, shownDefault: string): OwnFlag => ({
    ...{ flag, metavar: 'N', target: { setting }, meaning, shownDefault, takes: 'value' },
    parse: (word) => parsePythonInteger(flag, word),
  });
  const flagAlone = (flag: string, setting: Own, meaning: string): OwnFlag => ({
    ...{ flag, target: { setting }, meaning, takes: 'nothing' },
    parse: () => true,
  });
  return [
    {
      ...text(
        '--rows-dir',
        '@rowsDir',
        'FOLDER',
        'folder of episodes, each with a rows.jsonl; can be given more than once',
      ),
      parse: (word) => (rowsFolders.push(word), rowsFolders),
    },
    {
      ...text('--model', '@model', 'MODEL', 'base model: a folder, or the id of one in the cache of the hub'),
      shownDefault: `WEBMIX_BASE_MODEL, else ${pythonModel}`,
    },
    text('--processor', '@processor', 'FOLDER', 'take tokenizer, template and image settings from this folder'),
    text('--name', '@name', 'NAME', 'what to call the run'),
    number('--allow-bad', '@allowBad', 'how many rows that cannot be used may be left out', '0'),
    number(
      '--ranks',
      '@ranks',
      'processes that train together, one a GPU; this version trains with one, and plans any number',
      '1',
    ),
    {
      ...text(
        '--recompute',
        '@recompute',
        'on|off',
        'compute every layer again in the backward pass: less memory, more time',
      ),
      shownDefault: 'on',
      parse: (word) => {
        if (word === 'on' || word === 'off') return word === 'on';
        throw new AppError('bad-flag', `--recompute has to be on or off, not ${JSON.stringify(word)}`);
      },
    },
    flagAlone('--detach', '@detach', 'come back when the run is started; it goes on in the background'),
    flagAlone('--json', '@json', 'print JSON'),
    flagAlone('--help', '@help', 'show the flags'),
  ];
}

export function recipeOf(id: string | undefined): RecipeId {
  const known = Object.keys(recipes);
  if (id !== undefined && known.includes(id)) return id as RecipeId;
  throw new AppError(
    'usage',
    id === undefined || id.startsWith('-') ? 'the recipe is missing' : `there is no recipe ${JSON.stringify(id)}`,
    `Recipes are ${known.join(', ')}; as in: whetstone run webmix --adapter drag --rows-dir rows`,
  );
}

/** All flags of a recipe's commands. */
export function runFlagTable(recipe: RecipeId, rowsFolders: string[] = []): RecipeFlag[] {
  const own = ownFlags(rowsFolders);
  const taken = new Set(own.map(({ flag }) => flag));
  return [...recipes[recipe].flags.filter(({ flag }) => !taken.has(flag)), ...own];
}

/** A folder in the settings is meant from where the command was given; a plan lies elsewhere. */
function resolvingFolders(flag: RecipeFlag): RecipeFlag {
  if (flag.metavar !== 'FOLDER' || !('setting' in flag.target)) return flag;
  return flag.target.setting.startsWith('@') ? flag : { ...flag, parse: (text) => path.resolve(text) };
}

export interface ReadRunFlagsOptions {
  environment?: Environment;
  /**
   * For a command that was given elsewhere (pasted): paths stay as they are written, the episode list is named and not read, and what cannot be read
   * comes here with its words instead of being thrown.
   */
  onFault?: (words: string[], error: AppError) => void;
}

/** `words` are what stands behind the command: the recipe, then flags. Throws AppError: usage, unknown-flag, bad-flag. */
export function readRunFlags(words: readonly string[], options: ReadRunFlagsOptions = {}): RunFlags {
  const { environment = process.env, onFault } = options;
  const recipe = recipeOf(words[0]);
  const rowsFolders: string[] = [];
  const named: { episodeIdsFile: string | null } = { episodeIdsFile: null };
  const flags = runFlagTable(recipe, rowsFolders);
  const readText = (file: string): string => {
    named.episodeIdsFile = onFault ? file : path.resolve(file);
    if (onFault) return '';
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      throw fileError(error, 'read', file);
    }
  };
  const read = readFlags(
    onFault ? flags : flags.map(resolvingFolders),
    words.slice(1).map((word) => (word === '-h' ? '--help' : word)),
    readText,
    onFault,
  );
  // Named, not read: an empty list would say that no episode is meant.
  if (onFault && named.episodeIdsFile !== null) delete read.settings['episodeIds'];
  const settings: Record<string, unknown> = {};
  const own = new Map<string, unknown>();
  for (const [name, value] of Object.entries(read.settings)) {
    if (name.startsWith('@')) own.set(name, value);
    else settings[name] = value;
  }
  if (own.has('@recompute')) settings['recompute'] = own.get('@recompute');
  const textOf = (name: Own): string | null => (own.has(name) ? String(own.get(name)) : null);
  const numberOf = (name: Own, otherwise: number): number => (own.has(name) ? Number(own.get(name)) : otherwise);
  const notes = read.run.wandbProject
    ? ['--wandb-project: nothing is sent to wandb; Whetstone keeps its own history (whetstone runs)']
    : [];
  const allowBad = numberOf('@allowBad', 0);
  if (allowBad < 0) throw new AppError('bad-flag', `--allow-bad has to be 0 or more, not ${allowBad}`);
  return {
    request: {
      recipe,
      settings,
      model: textOf('@model') ?? defaultModel(environment),
      processor: textOf('@processor'),
      rowsFolders,
      output: read.run.out || null,
      name: textOf('@name'),
      allowBad,
      ranks: numberOf('@ranks', 1),
      episodeIdsFile: named.episodeIdsFile,
    },
    detach: own.has('@detach'),
    json: own.has('@json'),
    help: own.has('@help'),
    notes,
  };
}
