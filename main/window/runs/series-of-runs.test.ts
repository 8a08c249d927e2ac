/**
 * Curves of whole runs against the definition, worked out anew from events.jsonl in the simplest way: random runs with resumes that replace a tail, steps that are
 * not finite, roles that come and go, spikes. A step is done by the segment that did it last.
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Metric, SeriesInput } from '../../contract/window/runs.ts';
import type { Plan } from '../../contract/plan.ts';
import { eventsFile, planFile } from '../../trainer/run-folder.ts';
import { madeRun } from '../../trainer/testing/made-run.ts';
import { openWindow, testData, until, type OpenedWindow, type TestData } from '../testing/opened-window.ts';

let data: TestData;
let window: OpenedWindow;
beforeEach(() => {
  data = testData();
});
afterEach(async () => {
  await window.services.close();
  data.remove();
});

/** Repeatable pseudo-random numbers (mulberry32), so that a failure can be had again. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

interface StepEvent {
  kind: 'step';
  segment: number;
  time: number;
  step: number;
  rows: number;
  lr: number | string;
  grad_norm: number | string;
  tokens: number;
  gpu_gib: number;
  seconds: Record<string, number>;
  visits: { role: number; sum: number | string; w: number }[];
}

/** Events of a run of up to `steps` steps in one to four segments, as a trainer writes them. */
function randomEvents(next: () => number, steps: number): string[] {
  const below = (limit: number): number => Math.floor(next() * limit);
  const lines: string[] = [];
  let seq = 0;
  let time = 1.7e9 + below(1000);
  const emit = (kind: string, fields: object): void => {
    lines.push(JSON.stringify({ v: 1, seq: seq++, time, kind, ...fields }));
  };
  let done: { rows: number; step: number }[] = [{ rows: 0, step: 0 }];
  const segments = 1 + below(4);
  for (let segment = 0; segment < segments; segment++) {
    // Goes on from a resume state somewhere before the end.
    const from = segment === 0 ? { rows: 0, step: 0 } : done[Math.max(0, done.length - 1 - below(12))]!;
    done = done.filter((each) => each.step <= from.step);
    time += below(5000);
    emit('started', {
      ...{
        segment,
        from_rows: from.rows,
        from_step: from.step,
        host: 'elsewhere',
        boot_id: 'x',
        pid: 1,
        process_start: 1,
      },
      ...{
        plan_sha256: '',
        trainer: 'x',
        torch: 'x',
        device: { kind: 'cpu', name: 'x', memory_gib: 0 },
        threads: 1,
        ranks: 1,
      },
      ...{ rows: steps * 4, steps, trainable: 1 },
    });
    const last = segment === segments - 1 ? steps : Math.min(steps, from.step + 1 + below(steps));
    let { rows } = from;
    for (let step = from.step; step < last; step++) {
      // The plan says how many: the same in every segment.
      const count = 1 + ((step * 7) % 4);
      const odd = next() < 0.03;
      const visits = Array.from({ length: count }, (_, at) => ({
        ...{ o: rows + at, r: 0, role: below(3) === 0 ? 1 : 0, e: 0, t: 5, n: 2, clamped: 0, f: [] },
        sum: odd && at === 0 ? ['nan', 'inf', '-inf'][below(3)] : next() * 10,
        w: next() < 0.1 ? 0 : next() * 4,
      }));
      rows += count;
      time += 0.1 + next() + (next() < 0.02 ? 300 : 0);
      emit('step', {
        ...{ step, rows, epoch: 0, lr: 1e-4 * next(), tokens: count * 5 + below(9), gpu_gib: next() },
        grad_norm: next() < 0.02 ? ['nan', 'inf'][below(2)] : next() < 0.02 ? 1000 + next() : next(),
        seconds: { forward: next(), backward: next(), reference: 0, optimizer: next() / 10, other: 0 },
        visits,
      });
      done.push({ rows, step: step + 1 });
      if (next() < 0.05) {
        const groups: unknown[] = [];
        emit('evaluation', {
          ...{ set: 'held_out', rows, checkpoint: null, n: 1, mean: 1, stderr: 0, hash: 'h', seconds: 100 },
          ...{ groups, fields: [], sums: [1], counts: [1] },
        });
        time += 100;
      }
    }
  }
  return lines;
}

const real = (value: number | string): number =>
  typeof value === 'number' ? value : { nan: Number.NaN, inf: Infinity, '-inf': -Infinity }[value as 'nan'];

interface Point {
  step: number;
  x: Record<SeriesInput['x'], number>;
  value: number;
}

/** From the lines alone: steps that count, in order, and what x is at each. */
function pointsOf(file: string, metric: Metric): { points: Point[]; end: Point['x'] } {
  const events = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const kept = new Map<number, StepEvent>();
  const begins: { time: number; fromStep: number }[] = [];
  for (const event of events) {
    if (event['kind'] === 'started') {
      begins.push({ time: event['time'] as number, fromStep: event['from_step'] as number });
      for (const step of kept.keys()) if (step >= (event['from_step'] as number)) kept.delete(step);
    }
    if (event['kind'] === 'step') {
      const step = event as unknown as StepEvent;
      kept.set(step.step, { ...step, segment: begins.length - 1 });
    }
  }
  const points: Point[] = [];
  const atStep = new Map<number, number>();
  let [rows, tokens] = [0, 0];
  let end = { rows: 0, steps: 0, tokens: 0, time: 0 };
  for (const event of [...kept.values()].sort((one, other) => one.step - other.step)) {
    tokens += event.tokens;
    const begin = begins[event.segment]!;
    const time = (atStep.get(begin.fromStep - 1) ?? 0) + event.time - begin.time;
    atStep.set(event.step, time);
    const x = { rows: event.rows, steps: event.step, tokens, time };
    const seconds = Object.values(event.seconds).reduce((sum, each) => sum + each, 0);
    const role = metric === 'loss:ce' ? 0 : 1;
    const means = event.visits
      .filter((visit) => visit.role === role)
      .map(({ sum, w }) => (w === 0 ? 0 : real(sum) / w));
    const values: Record<string, number | undefined> = {
      ...{ grad_norm: real(event.grad_norm), lr: real(event.lr), gpu_gib: event.gpu_gib, tokens: event.tokens },
      rows_per_s: (event.rows - rows) / seconds,
      [metric.startsWith('loss:') ? metric : '']:
        means.length === 0 ? undefined : means.reduce((sum, each) => sum + each, 0) / means.length,
    };
    rows = event.rows;
    const value = values[metric];
    if (value !== undefined) points.push({ step: event.step, x, value });
    end = x;
  }
  return { points, end };
}

/** Steps of each segment that a later one replaced. */
function replacedOf(file: string): Map<number, StepEvent[]> {
  const kept = new Map<number, StepEvent>();
  const replaced = new Map<number, StepEvent[]>();
  let segment = -1;
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
    const event = JSON.parse(line) as Omit<StepEvent, 'kind'> & { kind: string; from_step: number };
    if (event.kind === 'started') {
      segment += 1;
      for (const [step, old] of kept)
        if (step >= event.from_step) {
          replaced.set(old.segment, [...(replaced.get(old.segment) ?? []), old]);
          kept.delete(step);
        }
    }
    if (event.kind === 'step') kept.set(event.step, { ...event, kind: 'step', segment });
  }
  return replaced;
}

/** The debiased exponential mean at every point; values that are not finite leave it as it is. */
function meansOf(points: readonly Point[], ema: number): number[] {
  return points.map((_, at) => {
    const finite = points.slice(0, at + 1).filter(({ value }) => Number.isFinite(value));
    const weights = finite.map((_, index) => ema ** (finite.length - 1 - index));
    const sum = finite.reduce((total, { value }, index) => total + value * (weights[index] ?? 0), 0);
    return sum / weights.reduce((total, each) => total + each, 0);
  });
}

const close = (one: number | undefined, other: number | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  (Object.is(one, other) || Math.abs(one - other) <= 1e-5 * Math.max(1, Math.abs(one), Math.abs(other)));

function expectClose(one: number | undefined, other: number | undefined, about: string): void {
  if (!close(one, other)) throw new Error(`${about}: ${one} and not ${other}`);
}

describe('curves of random runs', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('hold what the events say (%i)', async (seed) => {
    const next = random(seed);
    const below = (limit: number): number => Math.floor(next() * limit);
    const made = madeRun(data.runs, 4000);
    const plan = JSON.parse(readFileSync(planFile(made.folder), 'utf8')) as Plan;
    plan.roles = ['ce', 'kl'].map((name) => ({ name, term: 'cross_entropy', weights: null }));
    writeFileSync(planFile(made.folder), JSON.stringify(plan));
    window = openWindow(data.environment);
    const lines = randomEvents(next, 30 + below(300));
    // Taken in in two parts, so that what is kept in memory has to grow and, at a resume, to be read anew.
    const cut = below(lines.length);
    appendFileSync(eventsFile(made.folder), `${lines.slice(0, cut + 1).join('\n')}\n`);
    const ask = (input: Omit<SeriesInput, 'runs'>) => window.ask('runs.series', { runs: [made.run.id], ...input });
    const metrics: Metric[] = ['grad_norm', 'loss:ce', 'loss:kl', 'rows_per_s', 'tokens', 'lr', 'gpu_gib'];
    const all = { metrics, x: 'rows' as const, from: null, to: null, points: 64, ema: 0.9 };
    await until(async () => (await window.ask('runs.list', {})).runs.length === 1);
    await ask(all);
    appendFileSync(eventsFile(made.folder), `${lines.slice(cut + 1).join('\n')}\n`);
    const { end } = pointsOf(eventsFile(made.folder), 'lr');
    await until(async () => (await window.ask('runs.list', {})).runs[0]?.rows === end.rows);

    for (let round = 0; round < 25; round++) {
      const metric = metrics[below(metrics.length)] ?? 'lr';
      const { points } = pointsOf(eventsFile(made.folder), metric);
      const x = (['rows', 'steps', 'tokens', 'time'] as const)[below(4)] ?? 'rows';
      const ema = [0, 0.5, 0.98][below(3)] ?? 0;
      const places = points.map((point) => point.x[x]);
      const from = next() < 0.4 ? null : (places[below(places.length)] ?? 0) - (next() < 0.5 ? 0 : 0.25);
      const to = next() < 0.4 ? null : (places[below(places.length)] ?? 0) + (next() < 0.5 ? 0 : 0.25);
      const wish = { metrics: [metric], x, from, to, points: 16 + below(100), ema };
      const about = `${metric} by ${x} from ${from} to ${to} in ${wish.points}, ema ${ema}`;
      const answer = await ask(wish);
      const [series] = answer.series;
      if (!series) throw new Error('no series');
      const means = meansOf(points, ema);
      const inside = points
        .map((point, at) => ({ ...point, mean: means[at] ?? Number.NaN }))
        .filter((point) => (from === null || point.x[x] >= from) && (to === null || point.x[x] <= to));
      expect(series.steps, about).toBe(inside.length);
      expect(series.x.length, about).toBeLessThanOrEqual(wish.points);
      expectClose(answer.ends[0]?.x, end[x], `${about}: end`);
      // Every point is in the bucket that ends at or behind it; a value that is not finite has its own.
      const buckets = [...series.step].map((step, at) => ({
        ...{
          step,
          x: series.x[at],
          low: series.low[at],
          high: series.high[at],
          last: series.last[at],
          ema: series.ema[at],
        },
      }));
      expect([...series.x], about).toEqual([...series.x].sort((one, other) => one - other));
      for (const bucket of buckets) {
        const point = inside.find(({ step }) => step === bucket.step);
        expectClose(bucket.x, point?.x[x], `${about}: x at step ${bucket.step}`);
        expectClose(bucket.ema, point?.mean, `${about}: mean at step ${bucket.step}`);
        expectClose(bucket.last, Math.fround(point?.value ?? 0), `${about}: last at step ${bucket.step}`);
      }
      const finite = inside.filter(({ value }) => Number.isFinite(value));
      const odd = inside.filter(({ value }) => !Number.isFinite(value));
      const usual = buckets.filter(({ last }) => Number.isFinite(last));
      for (const [at, bucket] of usual.entries()) {
        const before = at === 0 ? -1 : (usual[at - 1]?.step ?? -1);
        const own = finite.filter(({ step }) => step > before && step <= bucket.step).map(({ value }) => value);
        expectClose(bucket.low, Math.fround(Math.min(...own)), `${about}: low at step ${bucket.step}`);
        expectClose(bucket.high, Math.fround(Math.max(...own)), `${about}: high at step ${bucket.step}`);
      }
      expect(usual.at(-1)?.step, about).toBe(finite.at(-1)?.step);
      expect(
        buckets.some(({ last }) => !Number.isFinite(last)),
        about,
      ).toBe(odd.length > 0);
    }
    await expectReplaced();

    // As a history has it that took the steps in before their losses were kept: the visits say the same.
    const before = await ask({ ...all, metrics: ['loss:ce', 'loss:kl'], points: 4000 });
    await window.services.close();
    const database = new Database(path.join(data.folder, 'whetstone.db'));
    expect(database.prepare('UPDATE steps SET losses = NULL').run().changes).toBeGreaterThan(0);
    database.close();
    window = openWindow(data.environment);
    await until(async () => (await window.ask('runs.list', {})).runs.length === 1);
    expect(await ask({ ...all, metrics: ['loss:ce', 'loss:kl'], points: 4000 })).toEqual(before);
    await expectReplaced();
    expect(window.reports).toEqual([]);

    async function expectReplaced(): Promise<void> {
      const wish = { x: 'rows' as const, from: null, to: null, points: 4000, ema: 0.9 };
      const answer = await ask({ ...wish, metrics: ['grad_norm', 'loss:ce'] });
      const replaced = replacedOf(eventsFile(made.folder));
      const [norm, ce] = answer.series;
      expect(norm?.replaced.map(({ segment }) => segment)).toEqual([...replaced.keys()].sort((one, two) => one - two));
      for (const { segment, x, y } of norm?.replaced ?? []) {
        const steps = (replaced.get(segment) ?? []).sort((one, other) => one.step - other.step);
        expect([...x]).toEqual(steps.map(({ rows }) => rows));
        expect([...y]).toEqual(steps.map((step) => Math.fround(real(step.grad_norm))));
      }
      for (const { segment, x, y } of ce?.replaced ?? []) {
        const steps = (replaced.get(segment) ?? []).sort((one, other) => one.step - other.step);
        const means = steps.flatMap(({ rows, visits }) => {
          const own = visits.filter(({ role }) => role === 0).map(({ sum, w }) => (w === 0 ? 0 : real(sum) / w));
          return own.length === 0 ? [] : [[rows, own.reduce((total, each) => total + each, 0) / own.length]];
        });
        expect([...x]).toEqual(means.map(([rows]) => rows));
        for (const [at, [rows, mean]] of means.entries())
          expectClose(y[at], Math.fround(mean ?? 0), `replaced ce of segment ${segment} at ${rows}`);
      }
    }
  });
});
