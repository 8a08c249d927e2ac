import { describe, expect, it } from 'vitest';
import type { SeriesBuckets } from '../../main/contract/window/runs.ts';
import { indexRange, lowerBound, xDomain, yDomain, type DomainWish } from './domain.ts';

function buckets(values: number[], band = 0): SeriesBuckets {
  return {
    x: Float64Array.from(values, (_, i) => (i + 1) * 10),
    step: Int32Array.from(values, (_, i) => i),
    low: Float32Array.from(values, (v) => v - band),
    high: Float32Array.from(values, (v) => v + band),
    last: Float32Array.from(values),
    ema: Float32Array.from(values),
  };
}
const wish: DomainWish = { clip: true, log: false, band: true, zero: false, from: 0, to: Infinity };

/** Falls from 12 to about 1 in the first tenth, then slowly to 0.4. */
const falling = Array.from({ length: 400 }, (_, i) => (i < 40 ? 12 - (11 * i) / 40 : 1 - (0.6 * (i - 40)) / 360));

describe('yDomain', () => {
  it('lets an early fall leave the plot, so that the late part can be told apart', () => {
    const [low, high] = yDomain([buckets(falling, 0.02)], wish)!;
    expect(high).toBeLessThan(1.5);
    expect(low).toBeGreaterThan(0);
    expect(low).toBeLessThan(0.38);
    // Without clipping everything is there.
    expect(yDomain([buckets(falling, 0.02)], { ...wish, clip: false })![1]).toBeGreaterThanOrEqual(12);
  });

  it('keeps a moderate fall whole', () => {
    const values = Array.from({ length: 300 }, (_, i) => 0.35 + 1.05 * Math.exp(-i / 100));
    const [low, high] = yDomain([buckets(values, 0.01)], wish)!;
    expect(high).toBeGreaterThanOrEqual(1.4);
    expect(high).toBeLessThan(1.7);
    expect(low).toBeLessThan(0.38);
  });

  it('does not stretch for a single spike', () => {
    const curve = buckets(
      Array.from({ length: 500 }, () => 0.5),
      0.1,
    );
    curve.high[300] = 40;
    expect(yDomain([curve], wish)![1]).toBeLessThan(0.8);
    expect(yDomain([curve], { ...wish, clip: false })![1]).toBeGreaterThan(40);
  });

  it('shows all where clipping would gain little', () => {
    const curve = buckets(
      Array.from({ length: 500 }, () => 0.5),
      0.1,
    );
    curve.high[300] = 0.66;
    expect(yDomain([curve], wish)![1]).toBeGreaterThan(0.66);
  });

  it('starts at 0 where it has to, and takes in what must be seen', () => {
    const [low, high] = yDomain([buckets([0.5, 0.6, 0.7])], { ...wish, zero: true, also: [1] })!;
    expect(low).toBe(0);
    expect(high).toBeGreaterThanOrEqual(1);
  });

  it('holds its ends while values move a little', () => {
    const one = yDomain([buckets(falling, 0.02)], wish)!;
    const other = yDomain([buckets([...falling, 0.401, 0.399], 0.02)], wish)!;
    expect(other).toEqual(one);
  });

  it('leaves out what a log scale or a number line cannot hold', () => {
    const curve = buckets([Number.NaN, 0, -1, 0.01, 1]);
    const [low, high] = yDomain([curve], { ...wish, clip: false, log: true })!;
    expect(low).toBeGreaterThan(0.005);
    expect(low).toBeLessThan(0.01);
    expect(high).toBeGreaterThan(1);
    expect(yDomain([buckets([Number.NaN])], wish)).toBeNull();
    expect(yDomain([], wish)).toBeNull();
  });

  it('has a height even for one value', () => {
    const [low, high] = yDomain([buckets([0.5])], wish)!;
    expect(low).toBeLessThan(0.5);
    expect(high).toBeGreaterThan(0.5);
    expect(yDomain([buckets([0, 0])], { ...wish, zero: true })).toEqual([0, 1]);
  });

  it('looks at the shown range only', () => {
    const curve = buckets(Array.from({ length: 100 }, (_, i) => i));
    const [low, high] = yDomain([curve], { ...wish, clip: false, from: 500, to: 600 })!;
    expect(low).toBeGreaterThan(40);
    expect(high).toBeLessThan(70);
  });
});

describe('xDomain', () => {
  it('keeps a live axis still between steps and gives room to what comes next', () => {
    const at = (end: number) => xDomain({ from: null, to: null, end, next: 14_836, live: true });
    expect(at(13_802)).toEqual(at(13_810));
    expect(at(13_802)[1]).toBeGreaterThan(14_836);
    expect(xDomain({ from: null, to: null, end: 13_802, next: null, live: false })[1]).toBeCloseTo(13_802 * 1.015);
    expect(xDomain({ from: 8000, to: 11_000, end: 13_802, next: null, live: true })).toEqual([8000, 11_000]);
    expect(xDomain({ from: null, to: null, end: 0, next: 40, live: true })).toEqual([0, 40]);
  });
});

describe('indexRange', () => {
  it('takes one bucket more on either side', () => {
    const x = [10, 20, 30, 40, 50];
    expect(indexRange(x, 20, 40)).toEqual([0, 5]);
    expect(indexRange(x, 25, 35)).toEqual([1, 4]);
    expect(indexRange(x, 0, 100)).toEqual([0, 5]);
    expect(lowerBound(x, 31)).toBe(3);
    expect(lowerBound([], 1)).toBe(0);
  });
});
