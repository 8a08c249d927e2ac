/**
 * events.jsonl, version 1, as docs/formats/events.md describes it: one object a line, appended by rank 0. A line is an event, or it is
 * `undefined` here (a kind of a later version, a damaged line): readers count those and go on. Numbers that JSON cannot hold come as strings.
 */
import { z } from 'zod';

const index = z.int().nonnegative();
const notFinite = { nan: Number.NaN, inf: Number.POSITIVE_INFINITY, '-inf': Number.NEGATIVE_INFINITY } as const;
const real = z.union([z.number(), z.enum(['nan', 'inf', '-inf']).transform((name) => notFinite[name])]);

export const visitSchema = z.object({
  /** Ordinal: position in the plan's order. */
  o: index,
  /** Row of the plan. */
  r: index,
  /** Index into the plan's roles. */
  role: index,
  /** Epoch. */
  e: index,
  /** Tokens of the row. */
  t: index,
  /** Targets of the row. */
  n: index,
  /** Sum of weight * term, before the coefficient. The row's own mean is sum / w. */
  sum: real,
  /** Sum of weights. */
  w: real,
  /** Targets whose difference was clamped (k3 only). */
  clamped: index.default(0),
  /** [sum of -lp, count, exact] a field of the dataset. */
  f: z.array(z.tuple([real, real, real])).default([]),
});

const common = { v: z.literal(1), seq: index, time: z.number() };
const event = <K extends string, S extends z.core.$ZodLooseShape>(kind: K, shape: S) =>
  z.object({ ...common, kind: z.literal(kind), ...shape });

export const eventSchema = z.discriminatedUnion('kind', [
  event('started', {
    segment: index,
    from_rows: index,
    from_step: index,
    host: z.string(),
    boot_id: z.string(),
    pid: index,
    process_start: z.number(),
    plan_sha256: z.string(),
    trainer: z.string(),
    torch: z.string(),
    device: z.object({ kind: z.string(), name: z.string(), memory_gib: real }),
    threads: index,
    ranks: index,
    rows: index,
    steps: index,
    trainable: index,
  }),
  event('phase', { name: z.string() }),
  event('step', {
    step: index,
    rows: index,
    epoch: index,
    lr: real,
    grad_norm: real,
    tokens: index,
    seconds: z.object({ forward: real, backward: real, reference: real, optimizer: real, other: real }),
    gpu_gib: real,
    visits: z.array(visitSchema),
  }),
  // The record stands beside the common keys; a role's name is a key of it.
  z.looseObject({ ...common, kind: z.literal('log') }),
  event('evaluation', {
    set: z.string(),
    rows: index,
    checkpoint: z.string().nullable(),
    n: index,
    mean: real,
    stderr: real,
    hash: z.string(),
    seconds: real,
    groups: z.array(z.object({ name: z.string(), n: index, mean: real, stderr: real })),
    fields: z.array(z.object({ name: z.string(), sum: real, count: real, exact: real, rows: real })),
    sums: z.array(real),
    counts: z.array(real),
  }),
  event('checkpoint', { name: z.string(), folder: z.string(), rows: index, step: index }),
  event('resume_state', { folder: z.string(), rows: index, step: index }),
  event('warning', { code: z.string(), message: z.string() }),
  event('finished', { rows: index, seconds: real, folder: z.string() }),
  event('stopped', { rows: index, seconds: real, resume: z.string().nullable() }),
  event('failed', {
    code: z.string(),
    message: z.string(),
    hint: z.string().nullable().default(null),
    visits: z.array(index).default([]),
  }),
]);

export type RunEvent = z.output<typeof eventSchema>;
export type RunEventKind = RunEvent['kind'];
export type EventOf<K extends RunEventKind> = Extract<RunEvent, { kind: K }>;
export type Visit = z.output<typeof visitSchema>;

export type TerminalEvent = EventOf<'finished' | 'stopped' | 'failed'>;

export function isTerminal(event: RunEvent): event is TerminalEvent {
  return event.kind === 'finished' || event.kind === 'stopped' || event.kind === 'failed';
}

/** One whole line -> event, or undefined where the line is none that we know. Never throws. */
export function parseEvent(line: string): RunEvent | undefined {
  try {
    const parsed = eventSchema.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

const commonKeys = new Set(['v', 'seq', 'time', 'kind']);

/** The log record of a `log` event: what the trainer wrote to the log file, without the event's own keys. */
export function logRecord(event: EventOf<'log'>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(event).filter(([key]) => !commonKeys.has(key)));
}
