/** What the draft's thread does: everything about a draft that reads rows, encodes or plans. Seconds of processor time with 27,646 rows. */
import { AppError } from '../../contract/errors.ts';
import type { Census } from '../../contract/census.ts';
import type { RunFile } from '../../contract/runs.ts';
import type { DraftCensus, PoolFacts } from '../../contract/window/draft.ts';
import { readPool } from '../../datasets/read-pool.ts';
import { cacheFolder, ensureFolder, type Environment } from '../../paths.ts';
import { variantOf } from '../../recipes/webmix/variants.ts';
import { writePlan } from '../../plan/write-plan.ts';
import type { CallContext } from '../../threads/calls.ts';
import { createRun, prepareRun, type PreparedRun, type RunRequest } from '../../trainer/launch.ts';
import { countTrainable } from './trainable.ts';
import { hashTraining } from './training-hash.ts';
import { countRows } from '../count-rows.ts';

/** Bad rows that go to the window; their number always does. */
const listedBadRows = 200;

interface Wish {
  request: RunRequest;
  /** The model as it was entered: a hub id is better kept than the folder that it means today. */
  model: string;
  environment: Environment;
}

export async function pool(
  { folders, environment }: { folders: string[]; environment: Environment },
  { progress, signal }: CallContext,
): Promise<PoolFacts> {
  const began = performance.now();
  const read = await readPool(folders, {
    cacheFolder: ensureFolder(cacheFolder(environment)),
    signal,
    onProgress: ({ episodes, ofEpisodes }) => progress('reading rows', episodes, ofEpisodes),
  });
  return {
    episodes: new Set(read.rows.map((row) => row.folder)).size,
    rows: read.rows.length,
    families: countRows(read.rows.map((row) => row.family)),
    variants: countRows(read.rows.map((row) => variantOf(row.taskId))),
    operations: countRows(read.rows.map((row) => row.op)),
    images: read.rows.reduce((sum, row) => sum + row.images.length, 0),
    bad: read.bad.slice(0, listedBadRows),
    badCount: read.bad.length,
    leftOut: { ...read.leftOut },
    linkTargets: [...read.linkTargets],
    seconds: (performance.now() - began) / 1000,
  };
}

async function prepare(
  { request, environment }: Wish,
  context: CallContext,
  checkOutput: boolean,
): Promise<PreparedRun> {
  const warnings: string[] = [];
  const prepared = await prepareRun(request, {
    environment,
    checkOutput,
    signal: context.signal,
    onProgress: context.progress,
    onWarning: (message) => warnings.push(message),
  });
  for (const message of warnings) prepared.census.warnings.push({ code: 'cache', message });
  return prepared;
}

export async function census(wish: Wish, context: CallContext): Promise<DraftCensus> {
  const began = performance.now();
  const prepared = await prepare(wish, context, false);
  const { plan, badRows, linkTargets } = prepared;
  const hashes = await hashTraining(plan, prepared.rowKeys, context.signal);
  return {
    census: prepared.census,
    badRows: { ...badRows, rows: badRows.rows.slice(0, listedBadRows) },
    ...hashes,
    linkTargets: [...linkTargets],
    trainable: countTrainable(plan.adapters['default'], plan.model.path),
    seconds: (performance.now() - began) / 1000,
  };
}

/** Writes plan.json into `folder`, for a try. */
export async function planInto(
  wish: Wish & { folder: string },
  context: CallContext,
): Promise<{ file: string; roles: Census['roles']; ranks: number }> {
  const { plan, census: counted } = await prepare(wish, context, false);
  return { file: writePlan(plan, wish.folder).file, roles: counted.roles, ranks: plan.ranks };
}

/** Makes the run's folder, nothing started yet. */
export async function create(wish: Wish, context: CallContext): Promise<{ folder: string; run: RunFile }> {
  const prepared = await prepare(wish, context, true);
  if (context.signal.aborted) throw new AppError('cancelled', 'cancelled');
  const request = { ...prepared.request, model: wish.model };
  return createRun({ ...prepared, request }, 'window', wish.environment);
}

export const draftFunctions = { pool, census, planInto, create };
export type DraftFunctions = typeof draftFunctions;
