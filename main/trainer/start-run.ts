/**
 * Starting a run that was made, and knowing whether it did start: the trainer that ends at once must not be reported as a run at work. The command line
 * (`--detach`) and the window share it.
 */
import { AppError } from '../contract/errors.ts';
import type { RunFile } from '../contract/runs.ts';
import type { Environment } from '../paths.ts';
import { followEvents, readAllEvents } from './event-tailer.ts';
import { discardRunFolder, eventsFile } from './run-folder.ts';
import { logTail, startTrainer, type StartedTrainer } from './spawn.ts';
import { isOver, readStatus } from './status.ts';

export interface StartedRun {
  started: StartedTrainer;
  /** Where its events begin in events.jsonl: what lies before belongs to segments before a resume. */
  offset: number;
}

/** Starts the trainer. A new run that cannot be started leaves nothing behind. Throws AppError. */
export async function startRun(
  folder: string,
  run: RunFile,
  options: { resume: boolean; environment?: Environment },
): Promise<StartedRun> {
  let offset = 0;
  for (const batch of readAllEvents(eventsFile(folder))) offset = batch.offset;
  try {
    return { started: await startTrainer(folder, run, options), offset };
  } catch (error) {
    // A run that was never started is none.
    if (!options.resume) discardRunFolder(folder);
    throw error;
  }
}

/** Waits for the first event. True where it is at work (or done) by then. */
export async function waitForStart(
  folder: string,
  { started, offset }: StartedRun,
  timeoutMs = 20_000,
): Promise<boolean> {
  let exited = false;
  void started.exited.then(() => {
    exited = true;
  });
  const timeout = AbortSignal.timeout(timeoutMs);
  for await (const batch of followEvents(eventsFile(folder), { offset, signal: timeout, over: () => exited })) {
    const failed = batch.events.find((event) => event.kind === 'failed');
    if (failed) return false;
    if (batch.events.length > 0) return true;
  }
  return !isOver(readStatus(folder).state);
}

/** Whether the trainer has said anything since that start: then the run has a story of its own, which the history shows. */
export function hasEvents(folder: string, offset: number): boolean {
  for (const batch of readAllEvents(eventsFile(folder), offset)) if (batch.events.length > 0) return true;
  return false;
}

/** Why a run that `waitForStart` did not see at work is none: its last word, or the end of its log. */
export function notStarted(folder: string): AppError {
  const { failure } = readStatus(folder);
  const tail = logTail(folder, 15);
  return new AppError(
    failure?.code ?? 'trainer-ended',
    failure?.message ?? `the trainer ended at once${tail ? `; its log:\n${tail}` : ', without a word in its log'}`,
    failure?.hint ?? `Its files are in ${folder}.`,
  );
}
