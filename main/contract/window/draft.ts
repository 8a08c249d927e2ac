/** A run that is being set up: the form's description, what is wrong with what was entered, and what it would train. */
import { z } from 'zod';
import type { Census } from '../census.ts';
import type { BadRow } from '../pool.ts';
import type { SettingDescription } from '../settings.ts';

/** As it was entered; no system has paths with a zero byte. */
export const pathSchema = z
  .string()
  .max(4096)
  .regex(/^[^\0]*$/, 'holds a character that no path can have');
const folder = pathSchema;

/** What a person wishes, as the form holds it; `main/trainer` makes a run of it. Paths as they were entered. */
export const runRequestSchema = z.strictObject({
  recipe: z.string().min(1).max(40),
  /** The recipe's own; parsed by its schema. Only what was set; the rest is at its default. */
  settings: z.record(z.string().max(80), z.unknown()),
  /** Folder or hub id. */
  model: folder,
  /** Folder of another processor; null: the model's own. */
  processor: folder.nullable(),
  rowsFolders: z.array(folder).max(64),
  /** The adapter's folder; null: one in the data folder, by the run's name. */
  output: folder.nullable(),
  /** null: made of output or preset, and the time. */
  name: z.string().max(200).nullable(),
  /** How many rows may be left out because they cannot be used. */
  allowBad: z.int().nonnegative(),
  ranks: z.int().min(1).max(1024),
  /** The file that the episode ids came from. */
  episodeIdsFile: folder.nullable(),
});
export type DraftRequest = z.infer<typeof runRequestSchema>;

export interface RecipeForm {
  id: string;
  title: string;
  settings: SettingDescription[];
  /** Sections of the form, in order; every setting is in exactly one. */
  groups: { title: string; settings: string[] }[];
  /** Families by preset, and those that are known by name. */
  presets: Record<string, readonly string[]>;
  families: readonly string[];
}

export interface ModelChoice {
  /** What goes into `model`: hub id or folder. */
  id: string;
  path: string;
  revision: string | null;
  bytes: number;
  architecture: string;
  /** Whether this version can train it, and why not. */
  problem: string | null;
}

/** Where in the form: a setting's name, or one of the run's own fields. */
export type DraftField = string;

export interface DraftProblem {
  field: DraftField;
  severity: 'error' | 'warning' | 'info';
  code: string;
  message: string;
  hint: string | null;
  /** A change that would settle it, to be offered as a button. */
  repair: { label: string; settings?: Record<string, unknown>; request?: Partial<DraftRequest> } | null;
}

export interface CommandWord {
  text: string;
  /** Says what would hold without it: shown grey. */
  isDefault: boolean;
}

/** The cheap part of checking: no row is read. */
export interface DraftCheck {
  problems: DraftProblem[];
  /** The name and the adapter's folder that a launch now would take. */
  name: string;
  output: string;
  model: { path: string; name: string; revision: string | null; bytes: number; architecture: string } | null;
  initAdapter: { path: string; rank: number; alpha: number; base: string; tensors: number } | null;
  command: CommandWord[];
}

/** What rows folders hold, before any recipe's choice. */
export interface PoolFacts {
  episodes: number;
  rows: number;
  families: { name: string; rows: number }[];
  variants: { name: string; rows: number }[];
  operations: { name: string; rows: number }[];
  images: number;
  bad: BadRow[];
  badCount: number;
  leftOut: { inject: number; augPrefix: number };
  linkTargets: string[];
  seconds: number;
}

export interface DraftCensus {
  census: Census;
  badRows: { allowed: number; found: number; rows: BadRow[] };
  /** Hex SHA-256 over the keys of the rows in the order's first epoch and over their masks, to tell whether two runs train the same. */
  rowSetHash: string;
  maskHash: string;
  linkTargets: string[];
  seconds: number;
  /** Trainable parameters, and bytes that the saved adapters will take. */
  trainable: number | null;
}

export interface TryRow {
  role: string;
  name: string;
  tokens: number;
  targets: number;
  forwardSeconds: number;
  backwardSeconds: number;
  referenceSeconds: number;
  peakGib: number;
}

export interface TryAnswer {
  time: number;
  device: { kind: string; name: string; memoryGib: number };
  peakGib: number;
  /** The trainer's whole try. */
  seconds: number;
  rows: TryRow[];
  /** Seconds of the whole run, if every row took the time per token that these took; null without a row. "About", never more. */
  estimateSeconds: number | null;
}

export interface PastedCommand {
  request: DraftRequest;
  /** What was read and does nothing, or had to be left out. */
  notes: string[];
}

export interface LaunchAnswer {
  run: string;
  name: string;
  folder: string;
  /** Where a logout would end it: what to do. */
  warning: string | null;
}
