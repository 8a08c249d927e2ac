/** Lines of the runs table. A run that is over changes seldom, so its line is kept until something about it has changed; those at work are made anew. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { RunRow } from '../../contract/window/runs.ts';
import type { ReadDb, WriteDb } from '../../store/database.ts';
import { findRun, runSegments, type RunRecord } from '../../store/runs.ts';
import { logValues } from '../../store/log-values.ts';
import { readRunLines, writeRunLine } from '../../store/run-lines.ts';
import { recentRate } from '../../store/steps.ts';
import { segmentEnds } from '../../store/segment-ends.ts';
import { isOver } from '../../trainer/status.ts';
import { summarize } from '../../trainer/summary.ts';
import type { TrackedRun } from './tracked-run.ts';

const sparklinePoints = 64;

/** Hub id, or the last part of a folder. */
export const modelNameOf = (name: string): string => (path.isAbsolute(name) ? path.basename(name) : name);

/** `now` in seconds since 1970. */
export function makeRunRow(db: ReadDb, record: RunRecord, run: TrackedRun, now: number): RunRow {
  const summary = summarize(db, record, run.status());
  const over = isOver(summary.state);
  const segments = runSegments(db, record.run);
  const rate = recentRate(db, record.run);
  const rowsPerSecond = rate ? rate.rows / rate.seconds : null;
  const [firstRole] = record.roles;
  const left = summary.totalRows - summary.rows;
  return {
    ...summary,
    note: record.note,
    modelName: modelNameOf(record.model.name),
    roles: record.roles,
    started: segments[0]?.time ?? null,
    durationSeconds: secondsAtWork(db, record, summary, now),
    rowsPerSecond,
    etaSeconds: summary.state === 'running' && rowsPerSecond && left > 0 ? left / rowsPerSecond : null,
    sparkline: firstRole === undefined ? [] : logValues(db, record.run, firstRole, sparklinePoints),
    folderGone: run.gone,
    canResume: over && summary.state !== 'finished' && !run.gone && hasResumeState(db, record.run),
  };
}

/** Over all segments, the time between them left out. */
function secondsAtWork(
  db: ReadDb,
  record: RunRecord,
  { state, elsewhere }: Pick<RunRow, 'state' | 'elsewhere'>,
  now: number,
): number | null {
  const segments = runSegments(db, record.run);
  const ends = segmentEnds(db, record.run);
  let sum = 0;
  segments.forEach(({ segment, time }, at) => {
    const last = at === segments.length - 1;
    // Another host's clock is not ours, and a launch without a word yet has not begun its segment.
    const open = last && (state === 'running' || state === 'stopping') && !elsewhere;
    const heard = last ? (record.lastTime ?? time) : (ends.get(segment) ?? time);
    sum += Math.max(0, (open ? Math.max(now, heard) : heard) - time);
  });
  return segments.length === 0 ? null : sum;
}

function hasResumeState({ sqlite }: ReadDb, run: number): boolean {
  const newest = sqlite
    .prepare(
      `SELECT folder FROM checkpoints WHERE run = ? AND kind = 'resume' AND superseded_by IS NULL ORDER BY rows DESC, checkpoint DESC LIMIT 1`,
    )
    .pluck()
    .get(run) as string | undefined;
  return newest !== undefined && existsSync(path.join(newest, 'DONE'));
}

/** Another number where a line holds other things than before: lines of another Whetstone are then made anew. */
const lineShape = 1;

/** What a line of a run that is over depends on. */
function stampOf(run: TrackedRun): string {
  const { offset, name, note, gone, folder, files } = run;
  const { state, elsewhere } = run.status();
  return JSON.stringify([
    ...[lineShape, offset, name, note, gone, folder, state, elsewhere],
    ...[files.launch?.time ?? null, files.stopAsked],
  ]);
}

export class RunRows {
  readonly #kept = new Map<string, { version: number; row: RunRow }>();
  /** As the history has them from before; read once, used up. */
  #lines: Map<number, { stamp: string; line: string }> | undefined;

  /** Of all `runs`, in their order. */
  rows(db: WriteDb, runs: readonly TrackedRun[], now: number): RunRow[] {
    return db.sqlite.transaction(() => runs.map((run) => this.row(db, run, now)))();
  }

  row(db: WriteDb, run: TrackedRun, now: number): RunRow {
    const { over } = run;
    const kept = this.#kept.get(run.id);
    const known = over ? (kept?.version === run.version ? kept.row : this.#fromHistory(db, run)) : undefined;
    const row = known ?? this.#make(db, run, now);
    if (over && kept?.version !== run.version) this.#kept.set(run.id, { version: run.version, row });
    return { ...row, lastHeardSeconds: run.status().lastHeardSeconds };
  }

  clear(): void {
    this.#kept.clear();
    this.#lines = undefined;
  }

  #fromHistory(db: WriteDb, run: TrackedRun): RunRow | undefined {
    this.#lines ??= readRunLines(db);
    const found = this.#lines.get(run.key);
    this.#lines.delete(run.key);
    if (found?.stamp !== stampOf(run)) return undefined;
    const row = JSON.parse(found.line) as RunRow;
    // Resume states lie on disk and may have gone meanwhile.
    return { ...row, canResume: row.canResume && hasResumeState(db, run.key) };
  }

  #make(db: WriteDb, run: TrackedRun, now: number): RunRow {
    const record = findRun(db, run.id);
    if (!record) throw new Error(`run ${run.id} is followed and not in the history`);
    const row = makeRunRow(db, record, run, now);
    if (run.over) {
      try {
        writeRunLine(db, run.key, stampOf(run), JSON.stringify(row));
      } catch {
        // A full disk: the line is made anew at the next start.
      }
    }
    return row;
  }
}
