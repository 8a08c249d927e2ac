/** Runs in the database: registering one, and the figures that lists and pages show of it. */
import type { Plan } from '../contract/plan.ts';
import type { EventOf, TerminalEvent } from '../contract/events.ts';
import type { RunFile } from '../contract/runs.ts';
import type { ReadDb, WriteDb } from './database.ts';

export interface RunRecord {
  /** Key inside the database. */
  run: number;
  id: string;
  folder: string;
  name: string;
  /** What a person wrote about it. */
  note: string;
  recipe: string;
  created: number;
  output: string;
  planSha256: string;
  settings: Record<string, unknown>;
  roles: string[];
  model: { path: string; name: string; revision: string | null };
  ranks: number;
  totalRows: number;
  totalSteps: number;
  badRows: { allowed: number; found: number };
  eventsOffset: number;
  unknownLines: number;
  phase: string | null;
  lastTime: number | null;
  started: EventOf<'started'> | null;
  terminal: TerminalEvent | null;
  /** Of the last `started` event; -1 before the first. */
  segment: number;
}

/** What the history keeps of a plan; a plan itself is megabytes. */
export interface PlanSummary {
  name: string;
  recipe: string;
  /** The adapter's folder. */
  output: string;
  settings: Plan['settings'];
  /** Names, in the plan's order. */
  roles: string[];
  model: Plan['model'];
  ranks: number;
  /** Row visits of all phases, optimizer steps of the first. */
  totalRows: number;
  totalSteps: number;
}

export const summarizePlan = (plan: Plan): PlanSummary => ({
  name: plan.name,
  recipe: plan.recipe,
  output: plan.output.folder,
  settings: plan.settings,
  roles: plan.roles.map((role) => role.name),
  model: plan.model,
  ranks: plan.ranks,
  totalRows: plan.phases.reduce((sum, { order }) => sum + order.row.length, 0),
  totalSteps: plan.phases[0]?.steps ?? 0,
});

export interface RunRegistration {
  id: string;
  folder: string;
  plan: PlanSummary;
  planSha256: string;
  /** Without one (a plan made by hand) the plan's own words count. */
  runFile: RunFile | undefined;
  /** What a person called it later, and wrote about it. */
  person?: { name: string | null; note: string } | undefined;
  /** Where run.json says none: seconds since 1970. */
  created: number;
}

/** Adds a run that the database does not know, or refreshes what its folder says of it; gives its key. */
export function registerRun({ sqlite }: WriteDb, registration: RunRegistration): number {
  const { id, folder, plan, planSha256, runFile, created, person } = registration;
  const row = sqlite
    .prepare(
      `INSERT INTO runs (id, folder, name, recipe, created, created_by, output, plan_sha256, settings, roles, model, ranks, total_rows, total_steps,
         bad_rows_allowed, bad_rows_found, note)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET folder = excluded.folder, name = excluded.name, note = excluded.note
       RETURNING run`,
    )
    .get(
      ...[id, folder, person?.name ?? runFile?.name ?? plan.name, plan.recipe, runFile?.created ?? created],
      runFile?.createdBy ?? null,
      ...[plan.output, planSha256, JSON.stringify(plan.settings), JSON.stringify(plan.roles)],
      ...[JSON.stringify(plan.model), plan.ranks, plan.totalRows, plan.totalSteps],
      ...[runFile?.badRows.allowed ?? 0, runFile?.badRows.found ?? 0, person?.note ?? ''],
    ) as { run: number };
  return row.run;
}

interface Raw {
  [name: string]: string | number | null;
}

const columns = `runs.*, (SELECT started FROM segments WHERE segments.run = runs.run AND segments.segment = runs.segment) AS started`;

function toRecord(raw: Raw): RunRecord {
  const text = (name: string): string => String(raw[name]);
  const json = (name: string): unknown => (raw[name] === null ? null : JSON.parse(text(name)));
  return {
    run: Number(raw['run']),
    id: text('id'),
    folder: text('folder'),
    name: text('name'),
    note: text('note'),
    recipe: text('recipe'),
    created: Number(raw['created']),
    output: text('output'),
    planSha256: text('plan_sha256'),
    settings: json('settings') as Record<string, unknown>,
    roles: json('roles') as string[],
    model: json('model') as RunRecord['model'],
    ranks: Number(raw['ranks']),
    totalRows: Number(raw['total_rows']),
    totalSteps: Number(raw['total_steps']),
    badRows: { allowed: Number(raw['bad_rows_allowed']), found: Number(raw['bad_rows_found']) },
    eventsOffset: Number(raw['events_offset']),
    unknownLines: Number(raw['unknown_lines']),
    phase: raw['phase'] === null ? null : text('phase'),
    lastTime: raw['last_time'] === null ? null : Number(raw['last_time']),
    started: json('started') as EventOf<'started'> | null,
    terminal: json('terminal') as TerminalEvent | null,
    segment: Number(raw['segment']),
  };
}

export function findRun({ sqlite }: ReadDb, id: string): RunRecord | undefined {
  const raw = sqlite.prepare(`SELECT ${columns} FROM runs WHERE id = ?`).get(id) as Raw | undefined;
  return raw && toRecord(raw);
}

/** Segment of the last `started` event; -1 before the first. */
export function currentSegment({ sqlite }: ReadDb, run: number): number {
  return Number(sqlite.prepare('SELECT segment FROM runs WHERE run = ?').pluck().get(run) ?? -1);
}

/** All runs, newest first. */
export function listRuns({ sqlite }: ReadDb): RunRecord[] {
  return (sqlite.prepare(`SELECT ${columns} FROM runs ORDER BY created DESC, id DESC`).all() as Raw[]).map(toRecord);
}

/** Takes over what a person called a run, what they wrote about it, and where its folder is now. */
export function describeRun(
  { sqlite }: WriteDb,
  run: number,
  { folder, name, note }: { folder: string; name: string; note: string },
): void {
  sqlite.prepare('UPDATE runs SET folder = ?, name = ?, note = ? WHERE run = ?').run(folder, name, note, run);
}

export interface SegmentRecord {
  segment: number;
  /** Seconds since 1970. */
  time: number;
  fromRows: number;
  fromStep: number;
}

/** Starts of a run, the first and its resumes. */
export function runSegments({ sqlite }: ReadDb, run: number): SegmentRecord[] {
  return sqlite
    .prepare(
      'SELECT segment, time, from_rows AS fromRows, from_step AS fromStep FROM segments WHERE run = ? ORDER BY segment',
    )
    .all(run) as SegmentRecord[];
}

export interface EvaluationRecord {
  set: string;
  rows: number;
  /** Seconds since 1970. */
  time: number;
  checkpoint: string | null;
  n: number;
  mean: number | null;
  stderr: number | null;
  hash: string;
  groups: { name: string; n: number; mean: number; stderr: number }[];
  fields: { name: string; sum: number; count: number; exact: number; rows: number }[];
}

/** Evaluations that count (not those that a resume replaced), in the order of rows. */
export function runEvaluations({ sqlite }: ReadDb, run: number): EvaluationRecord[] {
  const raws = sqlite
    .prepare(
      `SELECT set_name AS "set", rows, time, checkpoint, n, mean, stderr, hash, groups, fields FROM evaluations
       WHERE run = ? AND superseded_by IS NULL ORDER BY rows, evaluation`,
    )
    .all(run) as (Omit<EvaluationRecord, 'groups' | 'fields'> & { groups: string; fields: string })[];
  return raws.map((raw) => ({
    ...raw,
    groups: JSON.parse(raw.groups) as EvaluationRecord['groups'],
    fields: JSON.parse(raw.fields) as EvaluationRecord['fields'],
  }));
}

export interface CheckpointRecord {
  kind: 'adapter' | 'resume';
  name: string;
  folder: string;
  rows: number;
  step: number;
  /** Seconds since 1970. */
  time: number;
}

export function runCheckpoints({ sqlite }: ReadDb, run: number): CheckpointRecord[] {
  return sqlite
    .prepare(
      'SELECT kind, name, folder, rows, step, time FROM checkpoints WHERE run = ? AND superseded_by IS NULL ORDER BY rows, checkpoint',
    )
    .all(run) as CheckpointRecord[];
}

export function runWarnings({ sqlite }: ReadDb, run: number): { code: string; message: string }[] {
  return sqlite.prepare('SELECT code, message FROM warnings WHERE run = ? ORDER BY warning').all(run) as {
    code: string;
    message: string;
  }[];
}

/** Log records that count, in the order of rows. */
export function runLog({ sqlite }: ReadDb, run: number): Record<string, unknown>[] {
  const raws = sqlite
    .prepare('SELECT record FROM log_records WHERE run = ? AND superseded_by IS NULL ORDER BY rows, log_record')
    .all(run) as { record: string }[];
  return raws.map(({ record }) => JSON.parse(record) as Record<string, unknown>);
}

export interface RunProgress {
  rows: number;
  steps: number;
  lastLog: Record<string, unknown> | null;
}

/** How far a run is: row visits and optimizer steps done, and its last log record. */
export function runProgress({ sqlite }: ReadDb, run: number): RunProgress {
  const last = sqlite
    .prepare(
      'SELECT rows, step + 1 AS steps FROM steps WHERE run = ? AND superseded_by IS NULL ORDER BY step DESC LIMIT 1',
    )
    .get(run) as { rows: number; steps: number } | undefined;
  const log = sqlite
    .prepare(
      'SELECT record FROM log_records WHERE run = ? AND superseded_by IS NULL ORDER BY rows DESC, log_record DESC LIMIT 1',
    )
    .get(run) as { record: string } | undefined;
  return {
    rows: last?.rows ?? 0,
    steps: last?.steps ?? 0,
    lastLog: log ? (JSON.parse(log.record) as Record<string, unknown>) : null,
  };
}
