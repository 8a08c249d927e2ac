/**
 * Stops a run: a wish in a file (so that every window says "stopping"), SIGTERM to its process group (the trainer then writes its resume state and a last
 * event), and SIGKILL if it does not end in time. Who is signalled is checked first: a pid may have been given to somebody else.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { AppError } from '../contract/errors.ts';
import { processIdentitySchema, type ProcessIdentity } from '../contract/runs.ts';
import { writeFileAtomic } from '../io/atomic-file.ts';
import { readAllEvents } from './event-tailer.ts';
import { liveness } from './process-identity.ts';
import { eventsFile, readRunFile, stopFile } from './run-folder.ts';
import { addFacts, identityOf, isOver, noFacts, readStatus, type StatusFacts } from './status.ts';

export interface StopOptions {
  /** Time that the trainer has for its checkpoint. */
  graceMs?: number;
  /** Ends the run at once, without a checkpoint. */
  kill?: boolean;
  pollMs?: number;
  /** What the events say, where that is known already: reading them takes long in a long run. */
  facts?: StatusFacts;
  /** Ends the waiting (the outcome is then `asked`); the run goes on to its end. */
  signal?: AbortSignal;
}

export type StopOutcome = 'stopped' | 'killed' | 'was-over' | 'asked';

/**
 * The process that works on the run: the one that was started, which leads the group of all ranks; or, where that is gone or there was none (torchrun,
 * Slurm, by hand), the one that calls itself so in the events.
 */
export function runProcess(folder: string, known?: StatusFacts): ProcessIdentity | null {
  const launched = readRunFile(folder)?.launches.at(-1)?.process ?? null;
  if (launched && liveness(launched) === 'alive') return launched;
  let facts = known ?? noFacts;
  if (!known) for (const batch of readAllEvents(eventsFile(folder))) facts = addFacts(facts, batch);
  return facts.started ? identityOf(facts.started) : launched;
}

function signal(identity: ProcessIdentity, name: 'SIGTERM' | 'SIGKILL'): void {
  if (liveness(identity) !== 'alive') return;
  try {
    process.kill(-identity.pid, name);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // Not the leader of a group (started by hand in a shell): then it alone.
    if (code === 'ESRCH') process.kill(identity.pid, name);
    else if (code === 'EPERM')
      throw new AppError(
        'stop-forbidden',
        `process ${identity.pid} belongs to another user`,
        'Ask its owner to stop it.',
        { cause: error },
      );
    else throw error;
  }
}

/** What stop.json says: a wish, and the process that was signalled for it. */
const wishSchema = z.object({ kill: z.boolean(), signalled: processIdentitySchema.nullable().default(null) });

/**
 * Writes the wish down and signals. The trainer takes a second SIGTERM as "end now, without a checkpoint" (Ctrl-C twice), so whoever asks again, from another
 * window or the command line, does not send it again to the same process.
 */
function ask(folder: string, identity: ProcessIdentity, kill: boolean): void {
  const write = (signalled: ProcessIdentity | null): void =>
    writeFileAtomic(stopFile(folder), `${JSON.stringify({ time: Date.now() / 1000, kill, signalled })}\n`);
  if (!kill && isSameProcess(readSignalled(folder), identity)) return;
  // The wish first: every window says "stopping" before the process can be gone.
  write(null);
  signal(identity, kill ? 'SIGKILL' : 'SIGTERM');
  write(identity);
}

function readSignalled(folder: string): ProcessIdentity | null {
  try {
    return wishSchema.parse(JSON.parse(readFileSync(stopFile(folder), 'utf8'))).signalled;
  } catch {
    // No wish so far, or one of an older version.
    return null;
  }
}

function isSameProcess(one: ProcessIdentity | null, other: ProcessIdentity): boolean {
  return (
    one !== null &&
    one.pid === other.pid &&
    one.processStart === other.processStart &&
    one.host === other.host &&
    one.bootId === other.bootId
  );
}

/** Stops the run in `folder` and waits until its process is gone. Throws AppError where it runs on another host. */
export async function stopRun(folder: string, options: StopOptions = {}): Promise<StopOutcome> {
  const { graceMs = 30_000, kill = false, pollMs = 50 } = options;
  if (isOver(readStatus(folder, options.facts).state)) return 'was-over';
  const identity = runProcess(folder, options.facts);
  if (!identity) return 'was-over';
  const where = liveness(identity);
  if (where === 'elsewhere')
    throw new AppError(
      'stop-elsewhere',
      `the run is on ${identity.host} (process ${identity.pid}), and this is another host`,
      `Stop it there: whetstone stop, or kill -TERM -- -${identity.pid}`,
    );
  if (where === 'gone') return 'was-over';
  ask(folder, identity, kill);
  const until = Date.now() + graceMs;
  let killed = kill;
  while (liveness(identity) === 'alive') {
    if (!killed && Date.now() > until) {
      signal(identity, 'SIGKILL');
      killed = true;
    }
    if (options.signal?.aborted) return 'asked';
    await sleep(pollMs, undefined, options.signal ? { signal: options.signal } : {}).catch(() => undefined);
  }
  return killed ? 'killed' : 'stopped';
}
