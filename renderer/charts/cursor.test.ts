import { describe, expect, it, vi } from 'vitest';
import type { SeriesBuckets } from '../../main/contract/window/runs.ts';
import { bucketAt, createCursor, moveBy, nearestBucket, xOfStep } from './cursor.ts';

const curve: SeriesBuckets = {
  x: Float64Array.of(8, 16, 24, 40),
  step: Int32Array.of(0, 1, 2, 4),
  low: new Float32Array(4),
  high: new Float32Array(4),
  last: new Float32Array(4),
  ema: new Float32Array(4),
};

describe('cursor', () => {
  it('finds the nearest bucket', () => {
    expect(nearestBucket(curve.x, -5)).toBe(0);
    expect(nearestBucket(curve.x, 12)).toBe(0);
    expect(nearestBucket(curve.x, 12.1)).toBe(1);
    expect(nearestBucket(curve.x, 33)).toBe(3);
    expect(nearestBucket(curve.x, 1e9)).toBe(3);
    expect(nearestBucket([], 1)).toBe(-1);
  });

  it('says nothing where the curve has ended', () => {
    expect(bucketAt(curve, 41, 2)).toBe(3);
    expect(bucketAt(curve, 50, 2)).toBeNull();
    expect(bucketAt(curve, 1, 2)).toBeNull();
  });

  it('moves by buckets and stops at the ends', () => {
    expect(moveBy(curve.x, null, -1)).toBe(40);
    expect(moveBy(curve.x, null, 1)).toBe(8);
    expect(moveBy(curve.x, 16, 1)).toBe(24);
    expect(moveBy(curve.x, 16, -10)).toBe(8);
    expect(moveBy(curve.x, 24, 10)).toBe(40);
    expect(moveBy([], 1, 1)).toBeNull();
  });

  it('finds where a step ended', () => {
    expect(xOfStep(curve, 3)).toBe(40);
    expect(xOfStep(curve, 0)).toBe(8);
    expect(xOfStep(curve, 5)).toBeNull();
  });

  it('tells its listeners of changes only', () => {
    const cursor = createCursor();
    const heard = vi.fn();
    const end = cursor.subscribe(heard);
    cursor.set(1);
    cursor.set(1);
    end();
    cursor.set(2);
    expect(heard).toHaveBeenCalledTimes(1);
    expect(cursor.get()).toBe(2);
  });
});
