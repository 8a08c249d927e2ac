import { describe, expect, it } from 'vitest';
import type { SeriesBuckets } from '../../main/contract/window/runs.ts';
import { nextSpike, spikesOver } from './spikes.ts';

function curve(high: number[], ema: number[]): SeriesBuckets {
  return {
    x: Float64Array.from(high, (_, i) => i * 10),
    step: Int32Array.from(high, (_, i) => i),
    low: Float32Array.from(ema),
    high: Float32Array.from(high),
    last: Float32Array.from(ema),
    ema: Float32Array.from(ema),
  };
}

describe('spikesOver', () => {
  it('gives one mark a cluster, the tallest', () => {
    const marks = spikesOver(curve([0, 3, 5, 4, 0, 0, 0, 6], Array<number>(8).fill(0.5)), [0, 100], 2, 25);
    expect(marks).toEqual([
      { x: 20, value: 5, step: 2, count: 3 },
      { x: 70, value: 6, step: 7, count: 1 },
    ]);
  });

  it('does not mark a curve that has left the plot, nor what is not shown', () => {
    expect(spikesOver(curve([9, 8, 1, 1], [8, 7, 0.5, 0.5]), [0, 100], 2, 5)).toEqual([]);
    expect(spikesOver(curve([9, 1, 1, 9], [0.5, 0.5, 0.5, 0.5]), [5, 25], 2, 5)).toEqual([]);
  });

  it('goes from one to the next', () => {
    const marks = spikesOver(curve([0, 3, 0, 0, 0, 4], Array<number>(6).fill(0.5)), [0, 100], 2, 5);
    expect(nextSpike(marks, null, 1)?.x).toBe(10);
    expect(nextSpike(marks, 10, 1)?.x).toBe(50);
    expect(nextSpike(marks, 50, 1)).toBeNull();
    expect(nextSpike(marks, 50, -1)?.x).toBe(10);
    expect(nextSpike([], null, 1)).toBeNull();
  });
});
