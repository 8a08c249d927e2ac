/**
 * From what a person wishes to a training process, the same way for the command line and the window. Everything that can be refused is refused before
 * anything is made; what is cheap to check comes before what takes minutes.
 */
import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Census } from '../contract/census.ts';
import { AppError } from '../contract/errors.ts';
import type { Plan } from '../contract/plan.ts';
import type { BadRow, EncodedRow, Pool } from '../contract/pool.ts';
import type { RunFile } from '../contract/runs.ts';
import { checkModel } from '../model/check-model.ts';
import { findModel, type FoundModel } from '../model/find-model.ts';
import { cacheFolder, dataFolder, ensureFolder, runsFolder, type Environment } from '../paths.ts';
import type { RecipeId } from '../recipes/index.ts';
import type { Draft, Recipe } from '../recipes/recipe.ts';
import { checkOutputFolder, checkWritable, isOutputInUse, refuseOutputInUse } from './output-folder.ts';
import { createRunFolder, discardRunFolder, writeRunFile } from './run-folder.ts';
import { locateTrainer } from './spawn.ts';
import { verificationOf } from './verified.ts';

export interface RunRequest {
  recipe: RecipeId;
  /** The recipe's own; parsed by its schema. */
  settings: Record<string, unknown>;
  /** Folder or hub id. */
  model: string;
  /** Folder of another processor; null: the model's own. */
  processor: string | null;
  rowsFolders: readonly string[];
  /** The adapter's folder; null: one in the data folder, by the run's name. */
  output: string | null;
  /** null: made of output or preset, and the time. */
  name: string | null;
  /** How many rows may be left out because they cannot be used. */
  allowBad: number;
  ranks: number;
  /** The file that the episode ids came from, for the meta file. */
  episodeIdsFile: string | null;
}

export type LaunchStage = 'reading rows' | 'encoding';

export interface PrepareHooks {
  onProgress?: (stage: LaunchStage, done: number, of: number) => void;
  onWarning?: (message: string) => void;
  environment?: Environment;
  signal?: AbortSignal;
  /** Without one (a census, a try) the output folder is not looked at. */
  checkOutput?: boolean;
}

export interface PreparedRun {
  /** What was wished, with absolute paths: kept with the run, so that it can be made again. */
  request: RunRequest;
  plan: Plan;
  /** PoolRow.key of each row of the plan. */
  rowKeys: readonly string[];
  census: Census;
  model: FoundModel;
  /** Processor.id. */
  processorId: string;
  badRows: { allowed: number; found: number; rows: readonly BadRow[] };
  /** Real folders outside the rows folders that links lead to. */
  linkTargets: readonly string[];
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** As in pooled-1130-1412: month, day, hour, minute, by the clock on the wall. */
export function defaultName(stem: string, now: Date = new Date()): string {
  const [month, day] = [now.getMonth() + 1, now.getDate()].map(twoDigits);
  return `${stem}-${month}${day}-${twoDigits(now.getHours())}${twoDigits(now.getMinutes())}`;
}

export interface NameAndOutput {
  name: string;
  /** Absolute. */
  output: string;
}

/**
 * What a run is called and where its adapter goes, if it is made now. A name of ours is numbered where its folder is taken: two runs of one preset can be
 * started within a minute.
 */
export function nameAndOutput(
  request: Pick<RunRequest, 'recipe' | 'settings' | 'output' | 'name'>,
  environment: Environment = process.env,
): NameAndOutput {
  const { settings, output } = request;
  if (output !== null) {
    const folder = path.resolve(output);
    return { name: request.name ?? defaultName(path.basename(folder)), output: folder };
  }
  const adapters = path.join(dataFolder(environment), 'adapters');
  if (request.name !== null) return { name: request.name, output: path.join(adapters, folderName(request.name)) };
  const preset = typeof settings['adapter'] === 'string' ? settings['adapter'] : request.recipe;
  const stem = folderName(defaultName(preset));
  const folder = freeOutput(path.join(adapters, stem), environment);
  return { name: path.basename(folder), output: folder };
}

/** A name is anything that people write; its folder is one folder, and not a hidden one. */
function folderName(name: string): string {
  return name.replaceAll(/[/\\\0]/g, '-').replace(/^\.+/, '') || 'run';
}

/** `folder`, or with -2, -3, ... behind it the first that is not there and that no run at work writes into. */
export function freeOutput(folder: string, environment: Environment = process.env): string {
  const runs = runsFolder(environment);
  for (let n = 1; ; ++n) {
    const candidate = n === 1 ? folder : `${folder}-${n}`;
    if (!existsSync(candidate) && !isOutputInUse(runs, candidate)) return candidate;
  }
}

/** The request with every path absolute, so that it means the same from everywhere. */
function absolute(request: RunRequest, model: FoundModel): RunRequest {
  const resolved = (each: string | null): string | null => (each === null ? null : path.resolve(each));
  return {
    ...request,
    // A hub id stays one; a folder becomes absolute.
    model: model.name === model.path ? model.path : request.model,
    processor: resolved(request.processor),
    rowsFolders: request.rowsFolders.map((each) => path.resolve(each)),
    output: resolved(request.output),
    episodeIdsFile: resolved(request.episodeIdsFile),
  };
}

/** Reads, encodes and plans; makes nothing but cache entries. Throws AppError. */
export async function prepareRun(request: RunRequest, hooks: PrepareHooks = {}): Promise<PreparedRun> {
  const { environment = process.env, onProgress, onWarning, signal } = hooks;
  const { recipes } = await import('../recipes/index.ts');
  const recipe = recipes[request.recipe] as unknown as Recipe<Record<string, unknown>, Draft>;
  const settings = recipe.parseSettings(request.settings);
  if (!Number.isSafeInteger(request.ranks) || request.ranks < 1)
    throw new AppError(
      'bad-setting',
      `ranks has to be a whole number of 1 or more, not ${request.ranks}`,
      '--ranks: processes, one a GPU.',
    );
  const { name, output } = nameAndOutput({ ...request, settings }, environment);
  if (hooks.checkOutput) {
    refuseOutputInUse(runsFolder(environment), output);
    checkOutputFolder(output);
    locateTrainer(environment);
  }

  const model = findModel(request.model, environment);
  const processorFolder = request.processor === null ? model.path : path.resolve(request.processor);
  checkModel(model.path, processorFolder);
  const warnings = recipe.checkFiles(settings, model.name);

  const { readPool } = await import('../datasets/read-pool.ts');
  const folder = ensureFolder(cacheFolder(environment));
  checkWritable(folder);
  const passing = { ...(signal ? { signal } : {}), ...(onWarning ? { onWarning } : {}) };
  const pool = await readPool([...request.rowsFolders], {
    cacheFolder: folder,
    ...passing,
    onProgress: ({ episodes, ofEpisodes }) => onProgress?.('reading rows', episodes, ofEpisodes),
  });
  await pause(signal);
  const { encodeRows, refuseBadRows } = await import('../encode/encode-rows.ts');
  refuseBadRows(pool.bad, request.allowBad);

  const { openProcessor } = await import('../encode/processor.ts');
  const processor = await openProcessor(processorFolder);
  const encoded = new Map<string, EncodedRow>();
  const bad = [...pool.bad];
  let usable: Pool = pool;
  await pause(signal);
  let draft = recipe.prepare(settings, usable, request.ranks);
  // A row that cannot be encoded and is let through leaves the pool; the order is drawn anew without it, and may need rows that it did not need before.
  for (;;) {
    const part = await encodeRows(draft.neededRows, processor, {
      cacheFolder: folder,
      ...passing,
      onProgress: ({ done, of }) => onProgress?.('encoding', done, of),
    });
    for (const [key, row] of part.encoded) encoded.set(key, row);
    if (part.bad.length === 0) break;
    bad.push(...part.bad);
    refuseBadRows(bad, request.allowBad);
    const unusable = new Set(draft.neededRows.filter((row) => !encoded.has(row.key)));
    const rows = usable.rows.filter((row) => !unusable.has(row));
    if (rows.length === usable.rows.length)
      throw new Error('rows that cannot be encoded are not among those that were to be');
    // The census counts them as what they are: rows that cannot be used.
    usable = { ...usable, rows, bad: [...bad] };
    draft = recipe.prepare(settings, usable, request.ranks);
  }

  await pause(signal);
  const { plan, census } = recipe.plan(draft, {
    name,
    encoded: (row) => encoded.get(row.key),
    hardware: { threads: Math.max(1, Math.min(os.availableParallelism(), 16)), device: 'auto' },
    model,
    warnings,
    paths: {
      output,
      rowsFolders: request.rowsFolders.map((each) => path.resolve(each)),
      episodeIdsFile: request.episodeIdsFile,
    },
  });
  plan.settings = { ...plan.settings, allowBad: request.allowBad, badRows: bad.length };
  return {
    request: absolute(request, model),
    plan,
    rowKeys: draft.neededRows.map((row) => row.key),
    census,
    model,
    processorId: processor.id,
    badRows: { allowed: request.allowBad, found: bad.length, rows: bad },
    linkTargets: pool.linkTargets,
  };
}

/** Lets a wish to cancel be heard between two stretches of work. */
async function pause(signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return;
  await nextTurn();
  signal.throwIfAborted();
}

/**
 * A plan that was made by hand, or by another program: taken as it is, its relative paths made absolute, since the run gets a folder of its own. Throws AppError.
 */
export async function adoptPlan(file: string): Promise<Pick<PreparedRun, 'plan' | 'badRows' | 'linkTargets'>> {
  const { readPlan } = await import('../plan/write-plan.ts');
  const { plan } = readPlan(file);
  const folder = path.dirname(path.resolve(file));
  const absolute = (each: string): string => path.resolve(folder, each);
  plan.datasets = plan.datasets.map(absolute);
  plan.model.path = absolute(plan.model.path);
  plan.output.folder = absolute(plan.output.folder);
  for (const { init } of Object.values(plan.adapters)) if (init.kind === 'load') init.path = absolute(init.path);
  return { plan, badRows: { allowed: 0, found: 0, rows: [] }, linkTargets: [] };
}

export interface CreatedRun {
  folder: string;
  run: RunFile;
}

/** Makes the run folder with plan.json and run.json; nothing of it is left where that fails. Throws AppError. */
export async function createRun(
  prepared: Pick<PreparedRun, 'plan' | 'badRows' | 'linkTargets'> &
    Partial<Pick<PreparedRun, 'request' | 'processorId'>>,
  createdBy: RunFile['createdBy'],
  environment: Environment = process.env,
): Promise<CreatedRun> {
  const { plan, badRows, linkTargets, request } = prepared;
  const { writePlan } = await import('../plan/write-plan.ts');
  // The trainer would say the same, with a run folder already made. A census for any number of ranks is of use all the same.
  if (plan.ranks > 1)
    throw new AppError(
      'ranks-unsupported',
      `the plan is for ${plan.ranks} ranks, and this version trains with one process`,
      'Leave --ranks out, or give --ranks 1.',
    );
  // Asked again: encoding may have taken long.
  refuseOutputInUse(runsFolder(environment), plan.output.folder);
  checkOutputFolder(plan.output.folder);
  const verified = await verificationOf(plan, prepared.processorId, environment);
  const { id, folder } = createRunFolder(runsFolder(environment));
  try {
    const { sha256 } = writePlan(plan, folder);
    const run: RunFile = {
      format: 'whetstone-run',
      version: 1,
      id,
      name: plan.name,
      recipe: plan.recipe,
      created: Date.now() / 1000,
      createdBy,
      output: plan.output.folder,
      planSha256: sha256,
      badRows: { allowed: badRows.allowed, found: badRows.found },
      linkTargets: [...linkTargets],
      ...(request ? { request: { ...request, rowsFolders: [...request.rowsFolders] } } : {}),
      verified,
      launches: [],
    };
    writeRunFile(folder, run);
    // And once more, now that others see this one: of two that are made in the same moment one at least hears of the other.
    refuseOutputInUse(runsFolder(environment), plan.output.folder, id);
    return { folder, run };
  } catch (error) {
    discardRunFolder(folder);
    throw error;
  }
}
