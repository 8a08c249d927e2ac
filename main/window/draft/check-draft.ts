/**
 * The cheap part of checking a draft, asked at every change: everything that can be known without reading a row, all of it at once, each at its field and with
 * the change that would settle it where one is obvious.
 */
import { existsSync, opendirSync, realpathSync, statSync, type Stats } from 'node:fs';
import path from 'node:path';
import { AppError } from '../../contract/errors.ts';
import type { DraftCheck, DraftField, DraftProblem, DraftRequest } from '../../contract/window/draft.ts';
import { checkModel } from '../../model/check-model.ts';
import type { FoundModel } from '../../model/find-model.ts';
import { runsFolder, type Environment } from '../../paths.ts';
import { isRecipeId, recipes } from '../../recipes/index.ts';
import { freeOutput, nameAndOutput } from '../../trainer/launch.ts';
import { checkOutputFolder, refuseOutputInUse } from '../../trainer/output-folder.ts';
import { locateTrainer } from '../../trainer/spawn.ts';
import { commandWords } from './command-line.ts';
import type { Devices } from './devices.ts';
import { modelAbout } from './models.ts';
import { findEntered, noSuchRecipe, readEpisodeIds, resolveRequest } from './resolve-request.ts';

type Repair = DraftProblem['repair'];

const problem = (
  field: DraftField,
  severity: DraftProblem['severity'],
  code: string,
  message: string,
  hint: string | null = null,
  repair: Repair = null,
): DraftProblem => ({ field, severity, code, message, hint, repair });

/** What `work` throws for a person, as a problem of `field`. */
function faultOf(
  field: DraftField,
  work: () => unknown,
  repair: (error: AppError) => Repair = () => null,
): DraftProblem[] {
  try {
    work();
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [problem(field, 'error', error.code, error.message, error.hint ?? null, repair(error))];
  }
}

export async function checkDraft(
  entered: DraftRequest,
  environment: Environment,
  devices: Devices,
): Promise<DraftCheck> {
  const { request, problems } = resolveRequest(entered);
  const relative = new Set(problems.map(({ field }) => field));
  const {
    model,
    found,
    problems: ofModel,
  } = relative.has('model') ? { model: null, found: null, problems: [] } : checkBaseModel(request, environment);
  problems.push(...ofModel);
  let initAdapter: DraftCheck['initAdapter'] = null;
  if (isRecipeId(request.recipe)) {
    const recipe = recipes[request.recipe];
    for (const { setting, ...rest } of recipe.findProblems(request.settings, found?.name ?? null, request.ranks))
      if (!relative.has(setting)) problems.push({ field: setting, ...rest });
    if (!relative.has('initAdapter')) initAdapter = recipe.startAdapter(request.settings);
  } else {
    const { code, message, hint } = noSuchRecipe(request.recipe);
    problems.push(problem('recipe', 'error', code, message, hint ?? null));
  }
  if (!relative.has('rowsFolders')) problems.push(...checkRowsFolders(request.rowsFolders));
  if (!relative.has('episodeIdsFile')) problems.push(...checkEpisodeList(request));
  problems.push(...checkNames(request.settings['families']));
  const { name, output } = nameAndOutput({ ...request, recipe: 'webmix' }, environment);
  if (!relative.has('output')) problems.push(...checkOutput(output, environment));
  problems.push(...checkRanks(request.ranks), ...(await checkMachine(request, environment, devices)));
  return { problems, name, output, model, initAdapter, command: commandWords(request, environment) };
}

function checkBaseModel(
  request: DraftRequest,
  environment: Environment,
): { model: DraftCheck['model']; found: FoundModel | null; problems: DraftProblem[] } {
  if (request.model === '')
    return {
      ...{ model: null, found: null },
      problems: [
        problem(
          'model',
          'error',
          'no-model',
          'no base model is chosen',
          'Choose one that is there, or give its folder.',
        ),
      ],
    };
  let found: FoundModel;
  try {
    found = findEntered(request.model, environment);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, hint } = error;
    return { model: null, found: null, problems: [problem('model', 'error', code, message, hint ?? null)] };
  }
  const problems: DraftProblem[] = [];
  let bytes = 0;
  try {
    ({ bytes } = checkModel(found.path, request.processor ?? found.path));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const field = error.code === 'tokenizer-missing' && request.processor !== null ? 'processor' : 'model';
    problems.push(problem(field, 'error', error.code, error.message, error.hint ?? null));
  }
  try {
    const { architecture, dtype } = modelAbout(found.path);
    problems.push(...checkDtype(request.settings['dtype'] ?? 'bfloat16', dtype));
    return { model: { ...found, bytes, architecture }, found, problems };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { model: null, found, problems };
  }
}

/** Numbers of the base model in another type than it was published in: allowed, and worth knowing. */
function checkDtype(wanted: unknown, published: string | null): DraftProblem[] {
  if (published === null || wanted === published || !['bfloat16', 'float32'].includes(String(wanted))) return [];
  const message =
    wanted === 'float32'
      ? `the model is published in ${published}; float32 takes twice the memory`
      : `the model is published in ${published}; its weights are rounded to bfloat16`;
  return [problem('dtype', 'info', 'dtype-differs', message)];
}

function checkRowsFolders(folders: readonly string[]): DraftProblem[] {
  if (folders.length === 0)
    return [
      problem(
        'rowsFolders',
        'error',
        'no-rows-folder',
        'no rows folder is chosen',
        'Add a folder of episodes, each with a rows.jsonl.',
      ),
    ];
  const problems: DraftProblem[] = [];
  const seen = new Map<string, string>();
  for (const [index, folder] of folders.entries()) {
    const without = folders.filter((_, other) => other !== index);
    const say = (code: string, message: string, hint: string, repair: Repair = null): void =>
      void problems.push(problem('rowsFolders', 'error', code, message, hint, repair));
    let stats: Stats | undefined;
    let real = folder;
    try {
      stats = statSync(folder, { throwIfNoEntry: false });
      if (stats) real = realpathSync(folder);
    } catch (error) {
      // Below a folder that is not ours to read, a name that is too long, a network disk that is away.
      say('rows-folder-unreadable', `${folder} cannot be read: ${reason(error)}`, 'Check its path and permissions.');
      continue;
    }
    if (!stats) {
      say('rows-folder-missing', `there is no folder ${folder}`, 'Check the path of the rows folder.');
      continue;
    }
    if (!stats.isDirectory()) {
      say('rows-not-a-folder', `${folder} is a file, not a folder`, 'Give the folder that holds the episodes.');
      continue;
    }
    const twin = seen.get(real);
    if (twin !== undefined) {
      const repair = { label: 'Take it out', request: { rowsFolders: without } };
      say(
        'rows-folder-twice',
        `${twin} and ${folder} are the same folder`,
        'Give it once: its rows would be trained twice.',
        repair,
      );
      continue;
    }
    seen.set(real, folder);
    problems.push(...checkEpisodes(folder, folders, index));
  }
  return problems;
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'you have no permission',
  EPERM: 'you have no permission',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its links lead round in a circle',
};

const reason = (error: unknown): string =>
  (error instanceof Error && 'code' in error ? reasons[String(error.code)] : undefined) ??
  (error instanceof Error ? error.message : String(error));

/** Whether there is an episode; looks no further than the first. */
function checkEpisodes(folder: string, folders: readonly string[], index: number): DraftProblem[] {
  if (existsSync(path.join(folder, 'rows.jsonl'))) {
    const parent = path.dirname(folder);
    const repair = {
      label: `Take ${parent}`,
      request: { rowsFolders: folders.map((each, other) => (other === index ? parent : each)) },
    };
    return [
      problem(
        'rowsFolders',
        'error',
        'rows-folder-is-episode',
        `${folder} is one episode, not a folder of episodes`,
        'Give the folder above it.',
        repair,
      ),
    ];
  }
  try {
    if (hasEpisode(folder)) return [];
  } catch (error) {
    return [
      problem(
        'rowsFolders',
        'error',
        'rows-folder-unreadable',
        `${folder} cannot be read: ${reason(error)}`,
        'Check its path and permissions.',
      ),
    ];
  }
  return [
    problem(
      'rowsFolders',
      'error',
      'no-episodes',
      `there is no episode in ${folder}`,
      'An episode is a folder with a rows.jsonl in it, directly below the rows folder.',
    ),
  ];
}

function hasEpisode(folder: string): boolean {
  const entries = opendirSync(folder);
  try {
    for (let entry = entries.readSync(); entry; entry = entries.readSync())
      if (!entry.name.startsWith('_') && existsSync(path.join(folder, entry.name, 'rows.jsonl'))) return true;
    return false;
  } finally {
    entries.closeSync();
  }
}

function checkEpisodeList(request: DraftRequest): DraftProblem[] {
  const { episodeIdsFile: file, settings } = request;
  const listed = settings['episodeIds'] ?? null;
  if (file === null)
    return listed === null
      ? []
      : [
          problem(
            'episodeIdsFile',
            'info',
            'episode-list-without-file',
            'the episode list came from no file: the command line cannot say it',
          ),
        ];
  let ids: string[] = [];
  const faults = faultOf('episodeIdsFile', () => (ids = readEpisodeIds(file)));
  if (faults.length > 0 && listed === null) return faults;
  if (listed !== null && JSON.stringify(listed) !== JSON.stringify(ids))
    return [
      problem(
        'episodeIdsFile',
        'warning',
        'episode-list-changed',
        `${file} is not (any more) the list that this draft holds`,
        'The list of the draft counts.',
        {
          label: 'Read the file again',
          settings: { episodeIds: faults.length > 0 ? null : ids },
        },
      ),
    ];
  return [];
}

/** A comma parts the names of families on the command line, and no flag can say one that has it. */
function checkNames(families: unknown): DraftProblem[] {
  const names = Array.isArray(families) ? families.filter((each) => typeof each === 'string') : [];
  const odd = names.find((name) => name.includes(',') || name.trim() !== name);
  if (odd === undefined) return [];
  const message = `${JSON.stringify(odd)} cannot be said on the command line, where a comma parts the names`;
  return [problem('families', 'info', 'not-on-command-line', message, 'The run itself takes it as it is.')];
}

function checkOutput(output: string, environment: Environment): DraftProblem[] {
  const other = (): Repair => {
    const free = freeOutput(output, environment);
    return { label: `Use ${path.basename(free)}`, request: { output: free } };
  };
  return faultOf(
    'output',
    () => {
      refuseOutputInUse(runsFolder(environment), output);
      checkOutputFolder(output);
    },
    (error) => (['output-holds-run', 'output-in-use', 'output-not-folder'].includes(error.code) ? other() : null),
  );
}

function checkRanks(ranks: number): DraftProblem[] {
  if (ranks === 1) return [];
  return [
    problem(
      ...(['ranks', 'error', 'ranks-unsupported'] as const),
      `this version trains with one process, not with ${ranks}`,
      'The census for several ranks is right; the launch waits until they can be trained.',
      { label: 'Set 1', request: { ranks: 1 } },
    ),
  ];
}

/** The trainer, and the device that was chosen by name. */
async function checkMachine(
  request: DraftRequest,
  environment: Environment,
  devices: Devices,
): Promise<DraftProblem[]> {
  const missing = faultOf('device', () => locateTrainer(environment));
  const device = request.settings['device'];
  if (missing.length > 0 || typeof device !== 'string' || !/^cuda(:\d+)?$/.test(device)) return missing;
  try {
    const cards = await devices.cards();
    const index = Number(device.split(':')[1] ?? 0);
    if (index < cards) return [];
    const there = cards === 0 ? 'the trainer sees no CUDA device' : `the trainer sees cuda:0 to cuda:${cards - 1}`;
    return [
      problem(
        'device',
        'error',
        'no-such-device',
        `${device} is not there: ${there}`,
        'Choose another device, or auto.',
        {
          label: 'Set auto',
          settings: { device: 'auto' },
        },
      ),
    ];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [
      problem(
        'device',
        'warning',
        error.code,
        `the trainer cannot say its devices: ${error.message}`,
        error.hint ?? null,
      ),
    ];
  }
}
