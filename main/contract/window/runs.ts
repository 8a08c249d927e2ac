/** Runs as the window shows them: a line of the table, the whole of one, and its curves. */
import { z } from 'zod';
import type { RunSummary } from '../runs.ts';

/** A line of the runs table. Everything in it comes from the history and from the state of the process; none of it is an estimate but `eta`. */
export interface RunRow extends RunSummary {
  /** What a person wrote about it. */
  note: string;
  /** Hub id, or the last part of the folder. */
  modelName: string;
  /** Names of the plan's roles, in the plan's order: the keys of `lastLog` that are losses. */
  roles: string[];
  /** Seconds since 1970; null before the trainer's first word. */
  started: number | null;
  /** Seconds at work: over all segments, until now for a run at work. */
  durationSeconds: number | null;
  /** From the last optimizer steps, evaluations and saving left out; null with fewer than two steps. */
  rowsPerSecond: number | null;
  /** Seconds until the last row at that rate, evaluations left out; null where unknown or over. */
  etaSeconds: number | null;
  /** At most 64 values of the first role that is a loss, oldest first, evenly over the rows done. */
  sparkline: number[];
  /** Its folder is gone: what is shown is the history's. */
  folderGone: boolean;
  /** Has a state to go on from (and is over, but not finished). */
  canResume: boolean;
}

export interface RunsList {
  runs: RunRow[];
  /** Run folders that could not be taken in, and why. */
  faults: { folder: string; message: string }[];
}

export interface RunCheckpoint {
  kind: 'adapter' | 'resume';
  name: string;
  folder: string;
  rows: number;
  step: number;
  time: number;
}

export interface RunEvaluation {
  set: string;
  rows: number;
  /** Optimizer steps done; seconds since 1970. */
  step: number;
  time: number;
  checkpoint: string | null;
  n: number;
  mean: number | null;
  stderr: number | null;
  hash: string;
  groups: { name: string; n: number; mean: number | null; stderr: number | null }[];
  fields: { name: string; sum: number | null; count: number; exact: number; rows: number }[];
}

export interface ShownSetting {
  name: string;
  flag: string | null;
  meaning: string | null;
  value: string;
  default: string | null;
  differs: boolean;
}

export interface RunDetail extends RunRow {
  model: { path: string; name: string; revision: string | null };
  device: { kind: string; name: string; memoryGib: number | null } | null;
  trainer: { version: string; torch: string; threads: number; ranks: number; trainable: number } | null;
  settings: ShownSetting[];
  /** The same run on the command line; null for a plan made by hand. */
  command: string | null;
  rowsFolders: string[];
  /** What the run was verified against, in a line; null: it was not. */
  verified: string | null;
  badRows: { allowed: number; found: number };
  segments: { segment: number; time: number; fromRows: number; fromStep: number }[];
  /** Row visits done where an epoch begins, after the first. */
  epochStarts: number[];
  epochs: number;
  /** Grad-norm is clipped to this; null: not at all. */
  clipNorm: number | null;
  evaluations: RunEvaluation[];
  /** Saved and still there or not; newest last. */
  checkpoints: RunCheckpoint[];
  /** What the plan will still save and evaluate. */
  planned: { name: string | null; rows: number; evaluate: string[] }[];
  warnings: { code: string; message: string }[];
  /** Optimizer steps, row visits and their ordinals of a failure, named. */
  failedRows: string[];
}

/** `loss:ROLE` is a role of the plan: mean of row means of a step, before beta. */
export const metricSchema = z.union([
  z.enum(['grad_norm', 'lr', 'rows_per_s', 'gpu_gib', 'tokens']),
  z.templateLiteral(['loss:', z.string().min(1).max(80)]),
]);
export type Metric = z.infer<typeof metricSchema>;

export const seriesInput = z.strictObject({
  runs: z.array(z.string().min(1).max(200)).min(1).max(24),
  metrics: z.array(metricSchema).min(1).max(12),
  /** What x counts: row visits, optimizer steps, tokens, or seconds since the run began. */
  x: z.enum(['rows', 'steps', 'tokens', 'time']),
  /** Range of x; null: from the first, to the last. */
  from: z.number().nullable(),
  to: z.number().nullable(),
  /** Buckets a series at most. */
  points: z.int().min(16).max(4000),
  /** Debiased exponential mean over the optimizer steps, 0: none. */
  ema: z.number().min(0).max(0.9999),
});
export type SeriesInput = z.infer<typeof seriesInput>;

/**
 * One curve in buckets; every array has one entry a bucket. A bucket of one step has low = high = last. Steps without a value (no row of that role) are in no bucket.
 */
export interface SeriesBuckets {
  /** x at the bucket's last step. */
  x: Float64Array;
  /** 0-based optimizer step of the bucket's last step. */
  step: Int32Array;
  /** Smallest and largest value in the bucket, so that a spike of one step is never lost. */
  low: Float32Array;
  high: Float32Array;
  /** Value of its last step. */
  last: Float32Array;
  /** The exponential mean there, of ALL steps up to it. */
  ema: Float32Array;
}

export interface Series extends SeriesBuckets {
  run: string;
  metric: Metric;
  /** Steps with a value inside the range. */
  steps: number;
  /** What a resume replaced: drawn grey, never mixed in. One polyline a segment. */
  replaced: { segment: number; x: Float64Array; y: Float32Array }[];
}

export interface SeriesAnswer {
  series: Series[];
  /** x of the last optimizer step, a run. */
  ends: { run: string; x: number }[];
}

export interface LogPart {
  text: string;
  /** Bytes of the file that `text` is, and the file's size. Whole lines only, unless a line is longer than the part. */
  from: number;
  to: number;
  size: number;
}
