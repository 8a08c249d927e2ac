/**
 * One start of a run at a time: two windows, or a window and a command, that resume one run in the same moment must not put two trainers onto its files. The lock
 * is a file of the run folder that is made exclusively, so it holds over processes and network disks; it is held for the milliseconds of a start.
 */
import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../contract/errors.ts';
import { processIdentitySchema } from '../contract/runs.ts';
import { fileError } from '../io/atomic-file.ts';
import { identify, liveness } from './process-identity.ts';

export const startLockFile = (folder: string): string => path.join(folder, 'start.lock');

/** A start takes less; a lock that is older and names nobody was left by a crash. */
const longestMs = 30_000;

/** Runs `work` while no other process starts the run in `folder`. Throws AppError `run-starting` where one does. */
export async function withStartLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const file = startLockFile(folder);
  if (!take(file)) {
    if (isLeft(file)) rmSync(file, { force: true });
    if (!take(file))
      throw new AppError(
        'run-starting',
        `the run in ${folder} is just being started by another window or command`,
        'Wait a moment: it then shows as at work.',
      );
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function take(file: string): boolean {
  try {
    const handle = openSync(file, 'wx', 0o666);
    try {
      writeSync(handle, JSON.stringify(identify(process.pid) ?? null));
    } finally {
      closeSync(handle);
    }
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw fileError(error, 'write', file);
  }
}

/** Whether who took it is gone. On another host nothing can be known, so its age has to tell. */
function isLeft(file: string): boolean {
  try {
    const owner = processIdentitySchema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
    if (owner.success && liveness(owner.data) !== 'elsewhere') return liveness(owner.data) === 'gone';
  } catch {
    // Just gone, or just being written.
  }
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats === undefined || Date.now() - stats.mtimeMs > longestMs;
}
