/**
 * The flags behind `run`, `plan` and `try`: the recipe's own (the Python trainer's names and defaults, read as argparse reads them, so that a pasted command
 * works) and those that every run has.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../contract/errors.ts';
import { fileError } from '../io/atomic-file.ts';
import { parsePythonInteger, readFlags, type RecipeFlag } from '../recipes/flags.ts';
import { recipes, type RecipeId } from '../recipes/index.ts';
import type { RunRequest } from '../trainer/launch.ts';

/** The model that the Python trainers take when nothing else is said. */
const defaultModel = 'Qwen/Qwen3.5-4B';

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
      shownDefault: `WEBMIX_BASE_MODEL, else ${defaultModel}`,
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

function recipeOf(id: string | undefined): RecipeId {
  const known = Object.keys(recipes);
  if (id !== undefined && known.includes(id)) return id as RecipeId;
  throw new AppError(
    'usage',
    id === undefined || id.startsWith('-') ? 'the recipe is missing' : `there is no recipe ${JSON.stringify(id)}`,
    `Recipes are ${known.join(', ')}; as in: whetstone run webmix --adapter drag --rows-dir rows`,
  );
}

function table(recipe: RecipeId, rowsFolders: string[]): RecipeFlag[] {
  const own = ownFlags(rowsFolders);
  const taken = new Set(own.map(({ flag }) => flag));
  return [...recipes[recipe].flags.filter(({ flag }) => !taken.has(flag)).map(resolvingFolders), ...own];
}

/** A folder in the settings is meant from where the command was given; a plan lies elsewhere. */
function resolvingFolders(flag: RecipeFlag): RecipeFlag {
  if (flag.metavar !== 'FOLDER' || !('setting' in flag.target)) return flag;
  return { ...flag, parse: (text) => path.resolve(text) };
}

/** `words` are what stands behind the command: the recipe, then flags. Throws AppError: usage, unknown-flag, bad-flag. */
export function readRunFlags(
  words: readonly string[],
  environment: Record<string, string | undefined> = process.env,
): RunFlags {
  const recipe = recipeOf(words[0]);
  const rowsFolders: string[] = [];
  let episodeIdsFile: string | null = null;
  const read = readFlags(
    table(recipe, rowsFolders),
    words.slice(1).map((word) => (word === '-h' ? '--help' : word)),
    (file) => {
      episodeIdsFile = path.resolve(file);
      try {
        return readFileSync(file, 'utf8');
      } catch (error) {
        throw fileError(error, 'read', file);
      }
    },
  );
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
      model: textOf('@model') ?? (environment['WEBMIX_BASE_MODEL'] || defaultModel),
      processor: textOf('@processor'),
      rowsFolders,
      output: read.run.out || null,
      name: textOf('@name'),
      allowBad,
      ranks: numberOf('@ranks', 1),
      episodeIdsFile,
    },
    detach: own.has('@detach'),
    json: own.has('@json'),
    help: own.has('@help'),
    notes,
  };
}

/** The flags of a recipe, for people. */
export function formatRunHelp(command: string, words: readonly string[]): string {
  const recipe = recipeOf(words[0]);
  const elsewhere = command === 'run' ? '--json' : '--detach';
  const shown = table(recipe, []).filter(({ flag }) => flag !== elsewhere);
  const rows = shown.map((flag): [string, string] => [
    `  ${flag.flag}${flag.metavar === undefined ? '' : ` ${flag.metavar}`}`,
    `${flag.meaning}${flag.shownDefault === undefined ? '' : ` (default ${flag.shownDefault})`}`,
  ]);
  const width = Math.max(...rows.map(([left]) => left.length));
  return [
    `usage: whetstone ${command} ${recipe} [flags]`,
    '',
    `${recipes[recipe].title}.`,
    '',
    ...rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`),
  ].join('\n');
}
