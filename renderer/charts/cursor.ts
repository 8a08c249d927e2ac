/**
 * The cursor that all charts of a screen share: one x. It lives outside of React's state: moving it changes a transform and a few texts, never a chart.
 */
/* eslint-disable @typescript-eslint/no-non-null-assertion -- indices are within the arrays that they were taken from */
import { useSyncExternalStore } from 'react';
import type { SeriesBuckets } from '../../main/contract/window/runs.ts';
import { lowerBound } from './domain.ts';

/** Index of the bucket nearest to x, or -1 where there is none. */
export function nearestBucket(x: ArrayLike<number>, value: number): number {
  if (x.length === 0) return -1;
  const after = lowerBound(x, value);
  if (after === 0) return 0;
  if (after === x.length) return x.length - 1;
  return value - x[after - 1]! <= x[after]! - value ? after - 1 : after;
}

/** The bucket that speaks for x: the nearest, or null where the curve is not (it ended before, or begins later). `reach`: how far past its ends it still counts. */
export function bucketAt(curve: SeriesBuckets, x: number, reach: number): number | null {
  const n = curve.x.length;
  if (n === 0 || x > curve.x[n - 1]! + reach || x < curve.x[0]! - reach) return null;
  return nearestBucket(curve.x, x);
}

/** x of the bucket `by` further on; from the end (or the start) where there is no cursor yet. */
export function moveBy(x: ArrayLike<number>, from: number | null, by: number): number | null {
  if (x.length === 0) return null;
  if (from === null) return x[by < 0 ? x.length - 1 : 0]!;
  const index = Math.min(x.length - 1, Math.max(0, nearestBucket(x, from) + by));
  return x[index]!;
}

/** x at the end of a 0-based optimizer step; null where no bucket reaches it. */
export function xOfStep(curve: SeriesBuckets, step: number): number | null {
  const index = lowerBound(curve.step, step);
  return index < curve.x.length ? curve.x[index]! : null;
}

export interface Cursor {
  get: () => number | null;
  set: (x: number | null) => void;
  subscribe: (listener: () => void) => () => void;
}

export function createCursor(first: number | null = null): Cursor {
  let x = first;
  const listeners = new Set<() => void>();
  return {
    get: () => x,
    set(next) {
      if (next === x) return;
      x = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useCursor(cursor: Cursor): number | null {
  return useSyncExternalStore(cursor.subscribe, cursor.get);
}
