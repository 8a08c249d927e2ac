/** A run as a list shows it, from the history and the state of its process. */
import type { Launch, RunStatus, RunSummary } from '../contract/runs.ts';
import type { ReadDb } from '../store/database.ts';
import { runEvaluations, runProgress, type RunRecord } from '../store/runs.ts';
import { readRunFile } from './run-folder.ts';
import { deriveStatus, stopAskedAt, type StatusFacts } from './status.ts';

/** What of the run folder's files decides about the state. */
export interface StatusFiles {
  launch: Launch | null;
  /** Seconds since 1970. */
  stopAsked: number | null;
}

export function statusFiles(folder: string): StatusFiles {
  return { launch: readRunFileOrNone(folder)?.launches.at(-1) ?? null, stopAsked: stopAskedAt(folder) };
}

/** What the history knows of a run's last words. */
export const factsOf = ({ started, phase, terminal, lastTime }: RunRecord): StatusFacts => ({
  ...{ started, phase, terminal, lastTime },
});

function statusOf(record: RunRecord): RunStatus {
  return deriveStatus({ facts: factsOf(record), ...statusFiles(record.folder), now: Date.now() / 1000 });
}

/** `status` is looked up where it is not given. */
export function summarize(db: ReadDb, record: RunRecord, status: RunStatus = statusOf(record)): RunSummary {
  const { id, name, recipe, folder, output, created, totalRows, totalSteps, unknownLines } = record;
  const latest = new Map(runEvaluations(db, record.run).map((evaluation) => [evaluation.set, evaluation]));
  return {
    ...status,
    ...{ id, name, recipe, folder, output, created, totalRows, totalSteps, unknownLines },
    ...runProgress(db, record.run),
    evaluations: [...latest.values()].map(({ set, rows, n, mean, stderr, hash }) => ({
      set,
      rows,
      n,
      mean,
      stderr,
      hash,
    })),
  };
}

/** A damaged run.json must not hide the run. */
export function readRunFileOrNone(folder: string): ReturnType<typeof readRunFile> {
  try {
    return readRunFile(folder);
  } catch {
    return undefined;
  }
}
