/** All of one run, for its page. */
import type { DraftRequest } from '../../contract/window/draft.ts';
import type { RunDetail, RunEvaluation, RunRow } from '../../contract/window/runs.ts';
import type { Environment } from '../../paths.ts';
import type { ReadDb } from '../../store/database.ts';
import { runCheckpoints, runEvaluations, runSegments, runWarnings, type RunRecord } from '../../store/runs.ts';
import { commandLine, commandWords } from '../draft/command-line.ts';
import type { PlanFacts } from './plan-facts.ts';
import type { RunColumns } from './run-columns.ts';
import { requestOfRun } from './same-run.ts';
import { shownSettings } from './shown-settings.ts';
import { lowerBound } from './step-table.ts';

export interface DetailSources {
  row: RunRow;
  record: RunRecord;
  /** undefined: plan.json is gone or cannot be read. */
  facts: PlanFacts | undefined;
  columns: RunColumns;
  environment: Environment;
  /** What was asked for, where run.json says it. */
  asked: DraftRequest | null;
  /** In a line, where run.json says that it was. */
  verified: string | null;
}

export function makeRunDetail(db: ReadDb, sources: DetailSources): RunDetail {
  const { row, record, facts, columns, environment, asked, verified } = sources;
  const { started, terminal } = record;
  const request = asked ? { ...asked, name: record.name, output: record.output } : requestOfRun(record, facts);
  const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
  return {
    ...row,
    model: record.model,
    device: started && {
      kind: started.device.kind,
      name: started.device.name,
      // The CPU's is told as 0.
      memoryGib: started.device.memory_gib > 0 ? finite(started.device.memory_gib) : null,
    },
    trainer: started && {
      version: started.trainer,
      torch: started.torch,
      threads: started.threads,
      ranks: started.ranks,
      trainable: started.trainable,
    },
    settings: shownSettings(record.recipe, record.settings),
    command: request && commandLine(commandWords(request, environment), false),
    rowsFolders: facts?.rowsFolders ?? asked?.rowsFolders ?? [],
    verified,
    badRows: record.badRows,
    segments: runSegments(db, record.run),
    epochStarts: facts?.epochStarts ?? [],
    epochs: facts?.epochs ?? 0,
    clipNorm: facts?.clipNorm ?? null,
    evaluations: evaluationsOf(db, record, columns),
    checkpoints: runCheckpoints(db, record.run),
    planned: (facts?.actions ?? []).filter(({ rows }) => rows > row.rows || (rows === 0 && row.started === null)),
    warnings: runWarnings(db, record.run),
    failedRows: terminal?.kind === 'failed' ? (facts?.failedRows ?? []) : [],
  };
}

function evaluationsOf(db: ReadDb, record: RunRecord, columns: RunColumns): RunEvaluation[] {
  const rows = columns.kept.rows.values;
  return runEvaluations(db, record.run).map((evaluation) => ({
    ...evaluation,
    // Steps whose rows were all done by then.
    step: lowerBound(rows, evaluation.rows + 1),
  }));
}
