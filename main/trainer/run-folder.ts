/**
 * The folder of a run: plan.json (what the trainer reads), run.json (who started it and how), events.jsonl, logs and resume state. A run's id is the
 * folder's name: UTC time and a random tail, so ids sort by age and two starts in one second differ.
 */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../contract/errors.ts';
import { runFileSchema, type RunFile } from '../contract/runs.ts';
import { fileError, writeFileAtomic } from '../io/atomic-file.ts';
import { ensureFolder } from '../paths.ts';
import { readPerson } from './person.ts';

export const planFile = (folder: string): string => path.join(folder, 'plan.json');
export const runFile = (folder: string): string => path.join(folder, 'run.json');
export const eventsFile = (folder: string): string => path.join(folder, 'events.jsonl');
export const stopFile = (folder: string): string => path.join(folder, 'stop.json');
/** Rank 0's log; standard output and error of the process go there too. */
export const logFile = (folder: string): string => path.join(folder, 'trainer.rank0.log');

export function newRunId(now: Date = new Date()): string {
  const stamp = now.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `${stamp}-${randomBytes(3).toString('hex')}`;
}

/** Makes the folder of a new run under `runs`. Its id is the folder's name. */
export function createRunFolder(runs: string, now: Date = new Date()): { id: string; folder: string } {
  ensureFolder(runs);
  for (;;) {
    const id = newRunId(now);
    const folder = path.join(runs, id);
    try {
      mkdirSync(folder);
      return { id, folder };
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST'))
        throw fileError(error, 'make', folder);
    }
  }
}

export function writeRunFile(folder: string, run: RunFile): void {
  writeFileAtomic(runFile(folder), `${JSON.stringify(run, null, 2)}\n`);
}

/** run.json of a run folder; undefined where there is none (a plan made by hand). Throws AppError where it cannot be read. */
export function readRunFile(folder: string): RunFile | undefined {
  const file = runFile(folder);
  if (!existsSync(file)) return undefined;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw fileError(error, 'read', file);
  }
  try {
    return runFileSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new AppError(
      'run-file',
      `${file} is not a run file of this version: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`,
      'The run itself is in plan.json and events.jsonl: without run.json it is shown as one that was made by hand.',
      { cause: error },
    );
  }
}

export function sha256OfFile(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/** Ids of the runs under `runs`, oldest first: folders that hold a plan. */
export function listRunIds(runs: string): string[] {
  if (!existsSync(runs)) return [];
  return readdirSync(runs, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(planFile(path.join(runs, entry.name))))
    .map((entry) => entry.name)
    .sort();
}

/** The folder of the run that a person means: a folder, an id, the beginning of one, `last`, or a name (the newest of that name). */
export function findRunFolder(runs: string, wanted: string): string {
  if (wanted.includes(path.sep) || wanted === '.') {
    const folder = path.resolve(wanted);
    if (existsSync(planFile(folder))) return folder;
    throw new AppError(
      'no-such-run',
      `${folder} is no run folder: there is no plan.json in it`,
      'whetstone runs lists the runs.',
    );
  }
  const ids = listRunIds(runs);
  if (wanted === 'last') {
    const newest = ids.at(-1);
    if (newest) return path.join(runs, newest);
  }
  if (ids.includes(wanted)) return path.join(runs, wanted);
  const starting = ids.filter((id) => id.startsWith(wanted));
  const [only] = starting;
  if (only && starting.length === 1) return path.join(runs, only);
  if (starting.length > 1)
    throw new AppError(
      'run-ambiguous',
      `${wanted} is the beginning of ${starting.length} runs: ${starting.join(', ')}`,
      'Give more of the id.',
    );
  const named = ids.filter((id) => nameOf(path.join(runs, id)) === wanted).at(-1);
  if (named) return path.join(runs, named);
  throw new AppError(
    'no-such-run',
    `there is no run ${wanted} in ${runs}`,
    'whetstone runs lists the runs; a run folder elsewhere is given by its path.',
  );
}

function nameOf(folder: string): string | undefined {
  try {
    return readPerson(folder)?.name ?? readRunFile(folder)?.name;
  } catch {
    return undefined;
  }
}

/** Takes a run folder away again that nothing was started in. */
export function discardRunFolder(folder: string): void {
  if (!existsSync(eventsFile(folder))) rmSync(folder, { recursive: true, force: true });
}
