/**
 * Stops a run: a wish in a file (so that every window says "stopping"), SIGTERM to its process group (the trainer then writes its resume state and a last
 * event), and SIGKILL if it does not end in time. Who is signalled is checked first: a pid may have been given to somebody else.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../contract/errors.ts';
import type { ProcessIdentity } from '../contract/runs.ts';
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
}

export type StopOutcome = 'stopped' | 'killed' | 'was-over';

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
  writeFileAtomic(stopFile(folder), `${JSON.stringify({ time: Date.now() / 1000, kill })}\n`);
  signal(identity, kill ? 'SIGKILL' : 'SIGTERM');
  const until = Date.now() + graceMs;
  let killed = kill;
  while (liveness(identity) === 'alive') {
    if (!killed && Date.now() > until) {
      signal(identity, 'SIGKILL');
      killed = true;
    }
    await sleep(pollMs);
  }
  return killed ? 'killed' : 'stopped';
}
