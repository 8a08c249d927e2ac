/**
 * Spikes that are taller than the scale: each gets a mark at the plot's upper edge with its value, and where many stand close together the tallest speaks for all.
 * A part of the curve whose line itself is over the scale is no spike: it has left the plot.
 */
/* eslint-disable @typescript-eslint/no-non-null-assertion -- indices are within the arrays that they were taken from */
import type { SeriesBuckets } from '../../main/contract/window/runs.ts';
import type { Domain } from './domain.ts';

export interface Spike {
  x: number;
  value: number;
  /** 0-based optimizer step of its bucket. */
  step: number;
  /** How many buckets over the scale it stands for. */
  count: number;
}

/** From left to right. `apart`: the least distance of two marks, in units of x. */
export function spikesOver(curve: SeriesBuckets, x: Domain, top: number, apart: number): Spike[] {
  const over: Spike[] = [];
  for (let i = 0; i < curve.x.length; i++) {
    const at = curve.x[i]!;
    const high = curve.high[i]!;
    if (high > top && curve.ema[i]! <= top && at >= x[0] && at <= x[1])
      over.push({ x: at, value: high, step: curve.step[i]!, count: 1 });
  }
  over.sort((a, b) => b.value - a.value);
  const marks: Spike[] = [];
  for (const spike of over) {
    const near = marks.find((mark) => Math.abs(mark.x - spike.x) < apart);
    if (near) near.count++;
    else marks.push(spike);
  }
  return marks.sort((a, b) => a.x - b.x);
}

/** Steps that stand out from what is usual around them, for going from one to the next; highest values over the scale first of all. */
export function nextSpike(spikes: readonly Spike[], x: number | null, direction: 1 | -1): Spike | null {
  if (spikes.length === 0) return null;
  if (x === null) return direction === 1 ? spikes[0]! : spikes[spikes.length - 1]!;
  return direction === 1
    ? (spikes.find((spike) => spike.x > x) ?? null)
    : (spikes.findLast((spike) => spike.x < x) ?? null);
}
