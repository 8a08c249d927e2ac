/** A run as a list shows it, from the history and the state of its process. */
import type { RunSummary } from '../contract/runs.ts';
import type { ReadDb } from '../store/database.ts';
import { runEvaluations, runProgress, type RunRecord } from '../store/runs.ts';
import { readRunFile } from './run-folder.ts';
import { deriveStatus, stopAskedAt } from './status.ts';

export function summarize(db: ReadDb, record: RunRecord): RunSummary {
  const { id, name, recipe, folder, output, created, totalRows, totalSteps, unknownLines } = record;
  const status = deriveStatus({
    facts: { started: record.started, phase: record.phase, terminal: record.terminal, lastTime: record.lastTime },
    launch: readRunFileOrNone(folder)?.launches.at(-1) ?? null,
    stopAsked: stopAskedAt(folder),
    now: Date.now() / 1000,
  });
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
function readRunFileOrNone(folder: string): ReturnType<typeof readRunFile> {
  try {
    return readRunFile(folder);
  } catch {
    return undefined;
  }
}
