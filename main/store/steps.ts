/** Optimizer steps of a run, as curves read them. */
import type { ReadDb } from './database.ts';
import { lossesOf } from './losses.ts';

/** NaN where the event said so. */
export interface StepRecord {
  step: number;
  segment: number;
  /** Seconds since 1970. */
  time: number;
  /** Row visits done. */
  rows: number;
  lr: number;
  gradNorm: number;
  tokens: number;
  /** All seconds of the step; evaluations and saving are no part of it. */
  seconds: number;
  gpuGib: number;
  /** As main/store/losses.ts has them. */
  losses: Buffer;
}

type RawStep = [number, number, number, number, number | null, number | null, number, number | null, number | null];

const columns = `step, segment, time, rows, lr, grad_norm, tokens,
  seconds_forward + seconds_backward + seconds_reference + seconds_optimizer + seconds_other, gpu_gib, losses`;

/** A place among the steps that a resume replaced, in the order of segment and step. */
export interface ReplacedPlace {
  segment: number;
  step: number;
}

/** Calls `take` for the steps that count and come after `after`, in order, for `most` at most; gives how many there were. */
export function eachStep(
  db: ReadDb,
  run: number,
  after: number,
  most: number,
  take: (step: StepRecord) => void,
): number {
  const rows = db.sqlite
    .prepare(`SELECT ${columns} FROM steps WHERE run = ? AND step > ? AND superseded_by IS NULL ORDER BY step LIMIT ?`)
    .raw()
    .all(run, after, most);
  for (const raw of rows) take(toStep(db, run, raw as [...RawStep, Buffer | null]));
  return rows.length;
}

/** The same of the steps that a resume replaced, segment by segment. null: from the first. */
export function eachReplacedStep(
  db: ReadDb,
  run: number,
  after: ReplacedPlace | null,
  most: number,
  take: (step: StepRecord) => void,
): number {
  const { segment, step } = after ?? { segment: -1, step: -1 };
  const rows = db.sqlite
    .prepare(
      `SELECT ${columns} FROM steps WHERE run = ? AND superseded_by IS NOT NULL AND (segment, step) > (?, ?)
       ORDER BY segment, step LIMIT ?`,
    )
    .raw()
    .all(run, segment, step, most);
  for (const raw of rows) take(toStep(db, run, raw as [...RawStep, Buffer | null]));
  return rows.length;
}

const real = (value: number | null): number => value ?? Number.NaN;

function toStep(db: ReadDb, run: number, raw: [...RawStep, Buffer | null]): StepRecord {
  const [step, segment, time, rows, lr, gradNorm, tokens, seconds, gpuGib, losses] = raw;
  return {
    ...{ step, segment, time, rows, tokens },
    ...{ lr: real(lr), gradNorm: real(gradNorm), seconds: real(seconds), gpuGib: real(gpuGib) },
    losses: losses ?? lossesFromVisits(db, run, step, segment),
  };
}

/** For steps that were taken in before their losses were kept. Their visits lie between the rows of the step before and their own. */
function lossesFromVisits({ sqlite }: ReadDb, run: number, step: number, segment: number): Buffer {
  const before = sqlite
    .prepare('SELECT coalesce(max(rows), 0) FROM steps WHERE run = ? AND step = ?')
    .pluck()
    .get(run, step - 1) as number;
  const own = sqlite
    .prepare('SELECT rows FROM steps WHERE run = ? AND step = ? AND segment = ?')
    .pluck()
    .get(run, step, segment) as number;
  const visits = sqlite
    .prepare(
      'SELECT role, sum, weight FROM visits WHERE run = ? AND ordinal >= ? AND ordinal < ? AND segment = ? AND step = ?',
    )
    .all(run, before, own, segment, step) as { role: number; sum: number | null; weight: number | null }[];
  return lossesOf(visits.map(({ role, sum, weight }) => ({ role, sum: real(sum), w: real(weight) })));
}

export interface RecentRate {
  /** Steps that it was measured over. */
  steps: number;
  rows: number;
  seconds: number;
}

/**
 * Row visits and their seconds over the last steps: at most `steps` of them, none that ended more than `within` seconds before the last. Evaluations and saving are
 * no part of a step's seconds. undefined with fewer than two steps.
 */
export function recentRate({ sqlite }: ReadDb, run: number, steps = 50, within = 600): RecentRate | undefined {
  const last = sqlite
    .prepare(
      `SELECT rows, time, seconds_forward + seconds_backward + seconds_reference + seconds_optimizer + seconds_other, step
       FROM steps WHERE run = ? AND superseded_by IS NULL ORDER BY step DESC LIMIT ?`,
    )
    .raw()
    .all(run, steps + 1) as [rows: number, time: number, seconds: number | null, step: number][];
  const newest = last[0];
  if (!newest || last.length < 2) return undefined;
  const out = { steps: 0, rows: 0, seconds: 0 };
  for (let at = 0; at < Math.min(last.length, steps); at += 1) {
    const [rows, time, seconds, step] = last[at] ?? newest;
    if (at > 1 && newest[1] - time > within) break;
    // The run's first step has none before it; any other one is left out without it (its line may be damaged): it would have the rows of two.
    const [rowsBefore, , , stepBefore] = last[at + 1] ?? [0, 0, 0, -1];
    const before = stepBefore === step - 1 ? rowsBefore : undefined;
    if (before === undefined || seconds === null) continue;
    out.steps += 1;
    out.rows += rows - before;
    out.seconds += seconds;
  }
  return out.steps > 0 && out.seconds > 0 ? out : undefined;
}
