/**
 * From columns to curves of a bounded number of buckets. Buckets are aligned to step numbers and grow in powers of two, so a curve that grows does not
 * shimmer. A spike of one step stays in `low` and `high`; a value that is not finite has a bucket of its own.
 */
import type { Metric, Series, SeriesBuckets, SeriesInput } from '../../contract/window/runs.ts';
import type { RunColumns } from './run-columns.ts';
import { lowerBound, type StepTable } from './step-table.ts';

type Wish = Pick<SeriesInput, 'x' | 'from' | 'to' | 'points' | 'ema'>;

/** Positions in the table that lie inside the range of x. */
function rangeOf(table: StepTable, { x, from, to }: Wish): [start: number, end: number] {
  const axis = table.axis(x);
  const start = from === null ? 0 : lowerBound(axis, from);
  let end = to === null ? axis.length : lowerBound(axis, to);
  while (to !== null && axis[end] === to) end += 1;
  return [start, end];
}

interface OpenBucket {
  number: number;
  low: number;
  high: number;
  last: number;
  at: number;
  ema: number;
}

class Buckets {
  readonly #x: number[] = [];
  readonly #step: number[] = [];
  readonly #low: number[] = [];
  readonly #high: number[] = [];
  readonly #last: number[] = [];
  readonly #ema: number[] = [];

  push(x: number, step: number, { low, high, last, ema }: OpenBucket): void {
    this.#x.push(x);
    this.#step.push(step);
    this.#low.push(low);
    this.#high.push(high);
    this.#last.push(last);
    this.#ema.push(ema);
  }

  done(): SeriesBuckets {
    return {
      x: Float64Array.from(this.#x),
      step: Int32Array.from(this.#step),
      low: Float32Array.from(this.#low),
      high: Float32Array.from(this.#high),
      last: Float32Array.from(this.#last),
      ema: Float32Array.from(this.#ema),
    };
  }
}

/** Steps a bucket: the smallest power of two with which [first, last] fits into `most` aligned buckets. */
function bucketSteps(first: number, last: number, most: number): number {
  let size = 1;
  while (Math.floor(last / size) - Math.floor(first / size) + 1 > most) size *= 2;
  return size;
}

/** Buckets of one table, and how many steps with a value they hold. */
export function bucketsOf(table: StepTable, metric: Metric, wish: Wish): SeriesBuckets & { steps: number } {
  const out = new Buckets();
  const column = table.metric(metric);
  const [start, end] = rangeOf(table, wish);
  if (!column || start >= end) return { ...out.done(), steps: 0 };
  const { at, value } = column;
  const [first, behind] = [lowerBound(at, start), lowerBound(at, end)];
  const axis = table.axis(wish.x);
  const steps = table.step.values;
  const stepOf = (index: number): number => steps[at[index] ?? 0] ?? 0;
  let whole = true;
  for (let index = first; index < behind && whole; index += 1) whole = Number.isFinite(value[index]);
  // A value that is not finite takes a bucket beside that of its neighbours.
  const most = whole ? wish.points : Math.max(1, wish.points >> 1);
  const size = behind > first ? bucketSteps(stepOf(first), stepOf(behind - 1), most) : 1;

  let open: OpenBucket | undefined;
  let odd: OpenBucket | undefined;
  const close = (): void => {
    const both = [open, odd].filter((bucket) => bucket !== undefined).sort((one, other) => one.at - other.at);
    for (const bucket of both) {
      const position = at[bucket.at] ?? 0;
      out.push(axis[position] ?? 0, steps[position] ?? 0, bucket);
    }
    open = odd = undefined;
  };
  // The mean of ALL steps up to here, those before the range too.
  let sum = 0;
  let unseen = 1;
  let mean = Number.NaN;
  for (let index = 0; index < behind; index += 1) {
    const now = value[index] ?? Number.NaN;
    const finite = Number.isFinite(now);
    if (finite) {
      sum = wish.ema * sum + (1 - wish.ema) * now;
      unseen *= wish.ema;
      mean = wish.ema === 0 ? now : sum / (1 - unseen);
    }
    if (index < first) continue;
    const number = Math.floor(stepOf(index) / size);
    if ((open ?? odd) && (open ?? odd)?.number !== number) close();
    if (!finite) odd = { number, low: Number.NaN, high: Number.NaN, last: now, at: index, ema: mean };
    else if (!open) open = { number, low: now, high: now, last: now, at: index, ema: mean };
    else {
      if (now < open.low) open.low = now;
      if (now > open.high) open.high = now;
      open.last = now;
      open.at = index;
      open.ema = mean;
    }
  }
  close();
  return { ...out.done(), steps: behind - first };
}

export function seriesOf(run: string, columns: RunColumns, metric: Metric, wish: Wish): Series {
  const replaced = [...columns.replaced].flatMap(([segment, table]) => {
    const { x, last } = bucketsOf(table, metric, { ...wish, ema: 0 });
    return x.length === 0 ? [] : [{ segment, x, y: last }];
  });
  return { run, metric, ...bucketsOf(columns.kept, metric, wish), replaced };
}
