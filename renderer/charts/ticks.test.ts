import { describe, expect, it } from 'vitest';
import { linearTicks, logTicks, niceStep, tickLabels, timeTicks } from './ticks.ts';

describe('ticks', () => {
  it('steps are 1, 2 or 5 times a power of ten', () => {
    expect(niceStep(1.4, 7)).toBeCloseTo(0.2, 12);
    expect(niceStep(10, 4)).toBe(5);
    expect(niceStep(9e-5, 2)).toBeCloseTo(5e-5, 12);
    expect(niceStep(0, 5)).toBe(1);
  });

  it('stand inside the range, ends included', () => {
    expect(linearTicks(0.2, 1.6, 7)).toEqual([0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.6]);
    expect(linearTicks(0, 16_000, 8)).toEqual([0, 2000, 4000, 6000, 8000, 10_000, 12_000, 14_000, 16_000]);
    expect(linearTicks(-0.1, 0.25, 4)).toEqual([-0.1, 0, 0.1, 0.2]);
    expect(linearTicks(3, 3, 4)).toEqual([3]);
  });

  it('of a log scale are powers, with 2 and 5 while there is room', () => {
    expect(logTicks(0.1, 10, 8)).toEqual([0.1, 0.2, 0.5, 1, 2, 5, 10]);
    expect(logTicks(0.001, 1000, 6)).toEqual([0.001, 0.01, 0.1, 1, 10, 100, 1000]);
    expect(logTicks(0.3, 0.42, 4).length).toBeGreaterThanOrEqual(2);
    expect(logTicks(1e-9, 1, 3).length).toBeLessThanOrEqual(4);
  });

  it('read alike on one axis', () => {
    expect(tickLabels([0.2, 0.4, 1])).toEqual(['0.2', '0.4', '1.0']);
    expect(tickLabels([0, 5e-5, 1e-4])).toEqual(['0', '5e-5', '1e-4']);
    expect(tickLabels([0, 1.5e-4])).toEqual(['0', '1.5e-4']);
    expect(tickLabels([0, 2000, 14_000])).toEqual(['0', '2,000', '14,000']);
    expect(tickLabels([0, 0.02, 0.04])).toEqual(['0.00', '0.02', '0.04']);
  });

  it('of time stand at whole minutes and hours', () => {
    expect(timeTicks(0, 75, 5)).toEqual({
      ticks: [0, 15, 30, 45, 60, 75],
      labels: ['0', '15 s', '30 s', '45 s', '1 min', '1 m 15 s'],
    });
    expect(timeTicks(0, 9000, 5).labels).toEqual(['0', '30 min', '1 h', '1 h 30 m', '2 h', '2 h 30 m']);
  });
});
