/**
 * Holds the history for the window. A command of `whetstone` holds it for a moment, so the lock is asked for again for some seconds; another window holds it for as
 * long as it lives, and is named by `window.json` in the data folder. That file only names: the lock decides.
 */
import { readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { AppError } from '../../contract/errors.ts';
import { writeFileAtomic } from '../../io/atomic-file.ts';
import { dataFolder, databaseFile, ensureFolder, type Environment } from '../../paths.ts';
import { tryOpenWriter, type WriteDb } from '../../store/database.ts';

const holderSchema = z.object({
  pid: z.int().positive(),
  host: z.string(),
  carrier: z.enum(['electron', 'serve']),
  /** Seconds since 1970. */
  since: z.number(),
});
export type Holder = z.infer<typeof holderSchema>;

export const holderFile = (environment: Environment): string => path.join(dataFolder(environment), 'window.json');

export function readHolder(environment: Environment): Holder | undefined {
  try {
    return holderSchema.parse(JSON.parse(readFileSync(holderFile(environment), 'utf8')));
  } catch {
    return undefined;
  }
}

/** On this host: whether such a process is there. Elsewhere: not to be told, so believed. */
function mayLive(holder: Holder): boolean {
  if (holder.host !== os.hostname()) return true;
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function inUse(environment: Environment): AppError {
  const folder = dataFolder(environment);
  const holder = readHolder(environment);
  if (!holder || !mayLive(holder))
    return new AppError(
      'history-in-use',
      `the run history in ${folder} is in use by another program`,
      'A command of whetstone holds it for a moment only: try again. If it stays so, another Whetstone is open on the same data folder: close it, or set WHETSTONE_DATA to another folder.',
    );
  const clock = new Date(holder.since * 1000).toTimeString().slice(0, 5);
  const what = holder.carrier === 'serve' ? 'whetstone serve' : 'the Whetstone app';
  return new AppError(
    'history-in-use',
    `the run history in ${folder} is in use by ${what} (process ${holder.pid} on ${holder.host}, since ${clock})`,
    'Go on in that one, or close it and try again here. To work beside it, set WHETSTONE_DATA to another folder.',
  );
}

export interface HeldHistory {
  db: WriteDb;
  release(): void;
}

export interface HoldOptions {
  environment: Environment;
  carrier: Holder['carrier'];
  /** How long a holder is waited for. */
  waitMs?: number;
  signal?: AbortSignal;
}

/** Opens the history to write. Throws AppError: history-in-use, folder-not-writable, and what tryOpenWriter throws. */
export async function holdHistory({ environment, carrier, waitMs = 5000, signal }: HoldOptions): Promise<HeldHistory> {
  ensureFolder(dataFolder(environment));
  const file = databaseFile(environment);
  const until = performance.now() + waitMs;
  let db = tryOpenWriter(file);
  while (!db) {
    signal?.throwIfAborted();
    // A window does not let go within seconds; only a command does.
    const holder = readHolder(environment);
    if (performance.now() > until || (holder && mayLive(holder) && holder.pid !== process.pid))
      throw inUse(environment);
    await sleep(100);
    db = tryOpenWriter(file);
  }
  const own: Holder = { pid: process.pid, host: os.hostname(), carrier, since: Date.now() / 1000 };
  const held = db;
  try {
    writeFileAtomic(holderFile(environment), `${JSON.stringify(own)}\n`);
  } catch (error) {
    held.close();
    throw error;
  }
  return {
    db: held,
    release() {
      if (held.sqlite.open) held.close();
      const now = readHolder(environment);
      if (now?.pid === own.pid && now.since === own.since) rmSync(holderFile(environment), { force: true });
    },
  };
}
