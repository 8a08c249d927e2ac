/** Curves: nothing may be lost, nothing invented. */
import { describe, expect, it } from 'vitest';
import { lossesOf } from '../../store/losses.ts';
import type { StepRecord } from '../../store/steps.ts';
import { bucketsOf } from './series.ts';
import { StepTable } from './step-table.ts';

const record = (step: number, value: number, ce = true): StepRecord => ({
  ...{
    step,
    segment: 0,
    time: step,
    rows: 2 * (step + 1),
    lr: 1e-4,
    gradNorm: value,
    tokens: 10,
    seconds: 4,
    gpuGib: 0,
  },
  losses: lossesOf(ce ? [{ role: 0, sum: value * 3, w: 3 }] : [{ role: 1, sum: 1, w: 0 }]),
});
const tableOf = (values: number[]): StepTable => {
  const table = new StepTable();
  values.forEach((value, step) => table.push(record(step, value), step, ['ce', 'kl']));
  return table;
};
const wish = { x: 'rows' as const, from: null, to: null, points: 16, ema: 0 };

describe('buckets', () => {
  it('keep a spike of one step, and say all steps', () => {
    const values = Array.from({ length: 1000 }, () => 1);
    values[437] = 50;
    const { high, low, steps, x, last, step } = bucketsOf(tableOf(values), 'grad_norm', wish);
    expect(Math.max(...high)).toBe(50);
    expect(Math.min(...low)).toBe(1);
    expect(steps).toBe(1000);
    expect(x.length).toBeLessThanOrEqual(16);
    expect([x.at(-1), step.at(-1), last.at(-1)]).toEqual([2000, 999, 1]);
  });

  it('of one step have low = high = last', () => {
    const { low, high, last, x } = bucketsOf(tableOf([3, 1, 2]), 'loss:ce', wish);
    expect([...x]).toEqual([2, 4, 6]);
    expect([...low]).toEqual([3, 1, 2]);
    expect([...high]).toEqual([...last]);
  });

  it('give values that are not finite their own, and keep them out of low, high and mean', () => {
    const values = Array.from({ length: 100 }, (_, step) => (step === 50 ? Number.NaN : 2));
    const { low, high, last, ema, x, step } = bucketsOf(tableOf(values), 'grad_norm', { ...wish, ema: 0.9 });
    const at = [...last].findIndex(Number.isNaN);
    expect(step[at]).toBe(50);
    expect([low[at], high[at]]).toEqual([Number.NaN, Number.NaN]);
    expect([...low].filter((value) => value === 2)).toHaveLength(low.length - 1);
    expect([...ema].every((value) => Math.abs(value - 2) < 1e-6)).toBe(true);
    expect(x.length).toBeLessThanOrEqual(16);
    expect([...x]).toEqual([...x].sort((one, other) => one - other));
  });

  it('do not move when steps are added', () => {
    const values = Array.from({ length: 900 }, (_, step) => Math.sin(step));
    const before = bucketsOf(tableOf(values.slice(0, 800)), 'grad_norm', { ...wish, points: 200 });
    const after = bucketsOf(tableOf(values), 'grad_norm', { ...wish, points: 250 });
    expect([...after.low].slice(0, before.low.length - 1)).toEqual([...before.low].slice(0, -1));
  });

  it('have the debiased mean of all steps, those before the range too', () => {
    const values = Array.from({ length: 40 }, (_, step) => step * step);
    const { ema, x } = bucketsOf(tableOf(values), 'grad_norm', { ...wish, ema: 0.9, from: 60 });
    let sum = 0;
    const expected = values.map((value, step) => (sum = 0.9 * sum + 0.1 * value) / (1 - 0.9 ** (step + 1)));
    expect(x[0]).toBe(60);
    expect(ema[0]).toBeCloseTo(expected[29] ?? 0, 3);
    expect(ema.at(-1)).toBeCloseTo(expected[39] ?? 0, 3);
  });

  it('leave out steps without a row of the role, and rates are rows by seconds', () => {
    const table = new StepTable();
    for (let step = 0; step < 6; step += 1) table.push(record(step, 5, step % 2 === 0), step, ['ce', 'kl']);
    expect([...bucketsOf(table, 'loss:ce', wish).step]).toEqual([0, 2, 4]);
    // A row without weight has a mean of 0, as the trainer has it.
    expect([...bucketsOf(table, 'loss:kl', wish).last]).toEqual([0, 0, 0]);
    expect([...bucketsOf(table, 'rows_per_s', wish).last]).toEqual([0.5, 0.5, 0.5, 0.5, 0.5, 0.5]);
    expect(bucketsOf(table, 'loss:other', wish).steps).toBe(0);
  });
});
