/**
 * Whether an adapter can be written where it is wished, asked before anything is made: hours of training that end at a read-only folder, or in the middle
 * of somebody else's adapter, are what this is against.
 */
import { accessSync, constants, existsSync, readFileSync, statSync, statfsSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../contract/errors.ts';
import type { RunFile } from '../contract/runs.ts';
import { fileError } from '../io/atomic-file.ts';
import { listRunIds, readRunFile, runFile } from './run-folder.ts';
import { isOver, readStatus } from './status.ts';

/** What a run leaves in its output folder, ours and the Python trainers'. */
const traces = [
  'adapter_model.safetensors',
  'adapter_config.json',
  'train_log.jsonl',
  'webmix_meta.json',
  'whetstone.json',
  'DONE',
];

/** Room for an adapter and its log; a full disk is better told now. */
const leastBytes = 64 << 20;

/** `folder` need not be there. Throws AppError: output-not-folder, output-holds-run, file-eacces, file-erofs, disk-full. */
export function checkOutputFolder(folder: string): void {
  if (existsSync(folder)) {
    if (!statSync(folder).isDirectory())
      throw new AppError(
        'output-not-folder',
        `the output ${folder} is a file`,
        'Give a folder with --out: it is made if it is not there.',
      );
    const found = traces.filter((name) => existsSync(path.join(folder, name)));
    if (found.length > 0)
      throw new AppError(
        'output-holds-run',
        `the output folder ${folder} holds another run (${found.join(', ')})`,
        'Give another folder with --out, or move that run away.',
      );
  }
  checkWritable(folder);
}

/** For so long a run that was made and not started yet counts as one that is being started; later as one whose maker was ended. */
const beingStartedSeconds = 60;

/**
 * A run that has begun leaves its first file in the output folder only at its first log record or checkpoint: until then what the run folders under
 * `runs` say has to tell. `own`: id of the run that asks, once it has a folder. Throws AppError `output-in-use`.
 */
export function refuseOutputInUse(runs: string, output: string, own?: string): void {
  const id = runOn(runs, output, own);
  if (id === undefined) return;
  throw new AppError(
    'output-in-use',
    `the run ${id} is at work and writes into ${output}`,
    `Give another folder with --out, or stop that run: whetstone stop ${id}`,
  );
}

export function isOutputInUse(runs: string, output: string): boolean {
  return runOn(runs, output) !== undefined;
}

function runOn(runs: string, output: string, own?: string): string | undefined {
  const named = JSON.stringify(output);
  return listRunIds(runs).find((id) => {
    if (id === own) return false;
    const folder = path.join(runs, id);
    let run: RunFile | undefined;
    try {
      // Most runs write elsewhere, and this is asked while somebody types: those are not parsed.
      if (!readFileSync(runFile(folder), 'utf8').includes(named)) return false;
      run = readRunFile(folder);
    } catch {
      // A damaged run, or one that was made by hand, must not stand in the way of others.
    }
    if (run?.output !== output) return false;
    if (run.launches.length > 0) return !isOver(readStatus(folder).state);
    return Math.abs(Date.now() / 1000 - run.created) < beingStartedSeconds;
  });
}

/** Throws AppError where `folder`, or the nearest folder above it that is there, cannot be written to or has no room. */
export function checkWritable(folder: string): void {
  let nearest = path.resolve(folder);
  while (!existsSync(nearest) && path.dirname(nearest) !== nearest) nearest = path.dirname(nearest);
  if (!statSync(nearest).isDirectory())
    throw new AppError('output-not-folder', `${folder} cannot be made: ${nearest} is a file`, 'Give another folder.');
  try {
    accessSync(nearest, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw fileError(error, 'write into', nearest);
  }
  const { bavail, bsize } = statfsSync(nearest);
  if (bavail * bsize < leastBytes)
    throw new AppError(
      'disk-full',
      `the disk of ${folder} is full: ${((bavail * bsize) / 2 ** 20).toFixed(0)} MiB are free`,
      'Make room (64 MiB at least), or choose a folder on another disk.',
    );
}
