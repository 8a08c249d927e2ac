/**
 * Which part of an axis is shown. What matters in a curve is its late part: an early fall from 12 to 1 must not press the last thousand steps into a line.
 * With clipping on, y goes as far as the late part and usual spikes need; the early part then leaves the plot at the top, and a single spike gets a mark.
 * Ends are rounded outwards to half a tick, so that a live chart keeps its axis for many steps.
 */
/* eslint-disable @typescript-eslint/no-non-null-assertion -- indices are within the arrays that they were taken from */
import type { SeriesBuckets } from '../../main/contract/window/runs.ts';
import { niceStep } from './ticks.ts';

export type Domain = readonly [low: number, high: number];

export interface DomainWish {
  /** Off: everything that there is. */
  clip: boolean;
  /** Positive values only. */
  log: boolean;
  /** The smallest and largest of each bucket count too (a band is drawn), not the lines alone. */
  band: boolean;
  /** y = 0 is part of the axis (rates, norms). */
  zero: boolean;
  /** Values that have to be seen: held-out points, the line that gradients are clipped to. */
  also?: readonly number[];
  /** Range of x that is shown: only this part counts. */
  from: number;
  to: number;
}

/** The early part may be this many times as tall as the late part before it leaves the plot. */
const tallest = 2.6;
/** Where "late" begins: a share of the shown x range of each curve. */
const lateFrom = 0.15;

/** null: there is nothing to show. */
export function yDomain(curves: readonly SeriesBuckets[], wish: DomainWish): Domain | null {
  const all: number[] = [];
  const lines: number[] = [];
  const late: number[] = [];
  const lateTops: number[] = [];
  const usable = (value: number): boolean => Number.isFinite(value) && (!wish.log || value > 0);
  for (const curve of curves) {
    const [first, end] = indexRange(curve.x, wish.from, wish.to);
    if (end <= first) continue;
    const lateX = curve.x[first]! + (curve.x[end - 1]! - curve.x[first]!) * lateFrom;
    for (let i = first; i < end; i++) {
      const line = curve.ema[i]!;
      const isLate = curve.x[i]! >= lateX;
      if (usable(line)) {
        all.push(line);
        lines.push(line);
        if (isLate) late.push(line);
      }
      if (!wish.band) continue;
      for (const value of [curve.low[i]!, curve.high[i]!]) {
        if (!usable(value)) continue;
        all.push(value);
        if (isLate) lateTops.push(value);
      }
    }
  }
  for (const value of wish.also ?? []) if (usable(value)) for (const list of [all, lines, late]) list.push(value);
  if (all.length === 0) return null;
  const [lowest, highest] = ends(all);
  let low = lowest;
  let high = highest;
  if (wish.clip && late.length > 0) {
    const sorted = Float64Array.from(lateTops).sort();
    const lateTop = Math.max(ends(late)[1], quantile(sorted, 0.985));
    const ground = wish.zero && !wish.log ? 0 : Infinity;
    const lateLow = Math.min(ground, ends(late)[0], quantile(sorted, 0.005));
    const lineTop = ends(lines)[1];
    const space = (value: number): number => (wish.log ? Math.log(value) : value);
    const lateSpan = Math.max(space(lateTop) - space(lateLow), 1e-12);
    const whole = space(lineTop) - space(lateLow) <= tallest * lateSpan;
    const top = whole ? Math.max(lateTop, lineTop) : lateTop;
    // Clipping has to be worth it: where everything is hardly taller, everything is shown.
    if (space(highest) - space(lateLow) > 1.35 * Math.max(space(top) - space(lateLow), 1e-12)) high = top;
    if (space(lateLow) - space(lowest) > 0.35 * lateSpan) low = lateLow;
  }
  if (wish.zero && !wish.log) {
    low = Math.min(0, low);
    high = Math.max(0, high);
  }
  return wish.log ? roundLog(low, high) : roundLinear(low, high, wish.zero);
}

/** [first, end) of the buckets inside [from, to], and one more on either side, so that the line goes on to the edge. */
export function indexRange(x: ArrayLike<number>, from: number, to: number): [number, number] {
  let first = lowerBound(x, from);
  let end = lowerBound(x, to);
  if (first > 0) first--;
  while (end < x.length && x[end]! <= to) end++;
  if (end < x.length) end++;
  return [first, end];
}

/** First index whose x is not smaller. */
export function lowerBound(x: ArrayLike<number>, value: number): number {
  let low = 0;
  let high = x.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function ends(values: readonly number[]): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

const quantile = (sorted: Float64Array, share: number): number =>
  sorted.length === 0 ? (share < 0.5 ? Infinity : -Infinity) : sorted[Math.round((sorted.length - 1) * share)]!;

function roundLinear(low: number, high: number, zero: boolean): Domain {
  if (high <= low) {
    const around = low === 0 ? 1 : Math.abs(low) * 0.5;
    return zero && low >= 0 ? [0, low === 0 ? 1 : low * 1.25] : [low - around, low + around];
  }
  const room = (high - low) * 0.03;
  const unit = niceStep(high - low, 9) / 2;
  const top = Math.ceil((high + room) / unit - 1e-9) * unit;
  const bottom = zero && low === 0 ? 0 : Math.floor((low - room) / unit + 1e-9) * unit;
  return [tidy(bottom), tidy(top)];
}

function roundLog(low: number, high: number): Domain {
  if (high <= low) return [low / 2, high * 2];
  // Tenths of a decade.
  return [
    tidy(10 ** (Math.floor(Math.log10(low) * 10 - 0.2) / 10)),
    tidy(10 ** (Math.ceil(Math.log10(high) * 10 + 0.2) / 10)),
  ];
}

const tidy = (value: number): number => Number(value.toPrecision(10));

/**
 * The x axis. `end` is the last step there is; a run at work gets room for the next thing that will happen (`next`, e.g. where the next checkpoint is due), and its
 * end is rounded up so that the axis does not move with every step. A zoomed range is kept as it is.
 */
export function xDomain(wish: {
  from: number | null;
  to: number | null;
  end: number;
  next: number | null;
  live: boolean;
}): Domain {
  const low = wish.from ?? 0;
  if (wish.to !== null && wish.to > low) return [low, wish.to];
  if (!(wish.end > low)) return [low, low + Math.max(1, wish.next ?? 1)];
  // A little room, so that what stands at the very end (the last checkpoint, its score) is seen whole.
  if (!wish.live) return [low, wish.end + (wish.end - low) * 0.015];
  const need = Math.max(wish.end * 1.04, wish.next !== null && wish.next < wish.end * 2 ? wish.next * 1.04 : 0);
  const unit = niceStep(need - low, 8) / 2;
  return [low, low + Math.ceil((need - low) / unit) * unit];
}
