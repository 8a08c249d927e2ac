/**
 * What a run is outside its plan: run.json in the run folder (who started it, how, with which rows let through), and the state that a run is in.
 * The trainer never reads run.json; a run folder without one (made by hand) is shown all the same.
 */
import { z } from 'zod';
import { runRequestSchema } from './window/draft.ts';

/** How a process is told from a later one with the same number: a pid alone says nothing. */
export const processIdentitySchema = z.object({
  host: z.string(),
  /** Changes at every boot; empty where the system has none. */
  bootId: z.string(),
  pid: z.int().positive(),
  /** Start of the process: ticks since boot on Linux, seconds since 1970 on macOS. */
  processStart: z.number(),
});
export type ProcessIdentity = z.infer<typeof processIdentitySchema>;

/** One start of the trainer: the first, or a resume. */
export const launchSchema = z.object({
  /** Seconds since 1970. */
  time: z.number(),
  process: processIdentitySchema.nullable(),
  command: z.array(z.string()),
  resume: z.boolean(),
  /** Names of the environment variables that were handed on; values stay out of files. */
  environment: z.array(z.string()),
});
export type Launch = z.infer<typeof launchSchema>;

/** What `whetstone verify` found equal, on which machine, by what: an entry of verified.json, and in run.json of the runs that it speaks for. */
export const verificationSchema = z.object({
  model: z.object({
    name: z.string(),
    revision: z.string().nullable(),
    /** Hex SHA-256 over config.json and the names and sizes of the weights. */
    files: z.string(),
  }),
  /** Processor.id. */
  processor: z.string(),
  trainer: z.object({ version: z.string(), torch: z.string(), sha256: z.string() }),
  python: z.object({
    python: z.string(),
    torch: z.string(),
    transformers: z.string(),
    peft: z.string(),
    tokenizers: z.string(),
    imageProcessor: z.string(),
  }),
  host: z.string(),
  /** As the trainer calls it. */
  device: z.string(),
  dtype: z.enum(['bfloat16', 'float32']),
  branchDtype: z.enum(['float32', 'bfloat16']),
  /** Rows compared. */
  rows: z.int().positive(),
  /** Seconds since 1970. */
  time: z.number(),
});
export type Verification = z.infer<typeof verificationSchema>;

export const runFileSchema = z.object({
  format: z.literal('whetstone-run'),
  version: z.literal(1),
  id: z.string().min(1),
  name: z.string(),
  recipe: z.string(),
  /** Seconds since 1970. */
  created: z.number(),
  createdBy: z.enum(['cli', 'window']),
  /** The adapter's folder. */
  output: z.string(),
  /** SHA-256 of plan.json as it was written. */
  planSha256: z.string(),
  /** Rows that could not be used and were let through on purpose. */
  badRows: z.object({ allowed: z.int().nonnegative(), found: z.int().nonnegative() }),
  /** Real folders outside the rows folders that links led to. */
  linkTargets: z.array(z.string()).default([]),
  /** What was asked for, with absolute paths, so that the run can be made again; absent for a plan made by hand. */
  request: runRequestSchema.optional().catch(undefined),
  /** The last `whetstone verify` that speaks for this run, made before it; null (or absent, in older files): none. */
  verified: verificationSchema.nullable().optional().catch(undefined),
  launches: z.array(launchSchema),
});
export type RunFile = z.infer<typeof runFileSchema>;

/**
 * preparing: started, no word from the trainer yet. stopping: asked to stop, not done. lost: on this machine, no last word, and the process is gone
 * (can be resumed). A run on another host is never lost: it is as its last event says, `elsewhere`, and was last heard some time ago.
 */
export const runStates = ['preparing', 'running', 'stopping', 'stopped', 'finished', 'failed', 'lost'] as const;
export type RunState = (typeof runStates)[number];

export interface RunStatus {
  state: RunState;
  /** What the trainer is busy with (docs/formats/events.md, `phase`), while it runs. */
  phase: string | null;
  /** The trainer runs, or ran, on another host: nothing but its events can be known. */
  elsewhere: boolean;
  host: string | null;
  /** Seconds since the last event (or, before the first, since the launch). */
  lastHeardSeconds: number | null;
  failure: { code: string; message: string; hint: string | null } | null;
}

/** A line of the runs table. */
export interface RunSummary extends RunStatus {
  id: string;
  name: string;
  recipe: string;
  folder: string;
  output: string;
  /** Seconds since 1970. */
  created: number;
  /** Row visits done and planned; optimizer steps done and planned. */
  rows: number;
  totalRows: number;
  steps: number;
  totalSteps: number;
  /** Means of the last log record, one a role. */
  lastLog: Record<string, unknown> | null;
  /** Last held-out figures, one an evaluation set. */
  evaluations: { set: string; rows: number; n: number; mean: number | null; stderr: number | null; hash: string }[];
  unknownLines: number;
}
