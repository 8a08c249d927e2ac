import { describe, expect, it } from 'vitest';
import type { RunDetail, Series } from '../../../main/contract/window/runs.ts';
import { placeOn, replacedRanges, savedMarks, stepAtRows } from './run-marks.ts';

const curve = {
  run: 'a',
  metric: 'lr',
  steps: 3,
  x: Float64Array.of(900, 1800, 2700),
  step: Int32Array.of(0, 1, 2),
  low: new Float32Array(3),
  high: new Float32Array(3),
  last: new Float32Array(3),
  ema: new Float32Array(3),
  replaced: [{ segment: 0, x: Float64Array.of(1800, 2700), y: new Float32Array(2) }],
} satisfies Series;

const run = {
  checkpoints: [
    { kind: 'adapter', name: 'rows_8', folder: '', rows: 8, step: 1, time: 0 },
    { kind: 'resume', name: 'resume', folder: '', rows: 12, step: 2, time: 0 },
    { kind: 'adapter', name: 'epoch_1', folder: '', rows: 16, step: 2, time: 0 },
    { kind: 'adapter', name: 'rows_17', folder: '', rows: 17, step: 3, time: 0 },
  ],
  evaluations: [],
  segments: [{ segment: 1, time: 0, fromRows: 12, fromStep: 2 }],
} as unknown as RunDetail;

describe('marks of a run', () => {
  it('stand where x counts them', () => {
    expect(placeOn('rows', null, { rows: 16, step: 2 })).toBe(16);
    expect(placeOn('steps', null, { rows: 16, step: 2 })).toBe(2);
    expect(placeOn('tokens', curve, { rows: 16, step: 2 })).toBe(1800);
    expect(placeOn('time', curve, { rows: 0, step: 0 })).toBe(0);
  });

  it('are left out where their place is not known', () => {
    expect(placeOn('tokens', null, { rows: 16, step: 2 })).toBeNull();
    expect(placeOn('steps', curve, { rows: 16, step: null })).toBeNull();
    expect(placeOn('tokens', curve, { rows: 99, step: 9 })).toBeNull();
    expect(stepAtRows(run, 12)).toBe(2);
    expect(stepAtRows(run, 13)).toBeNull();
  });

  it('leave room for names', () => {
    const marks = savedMarks(run, 'rows', null, 4);
    expect(marks.map((mark) => [mark.name, mark.label, mark.epoch])).toEqual([
      ['rows_8', '8', false],
      ['epoch_1', null, true],
      ['rows_17', '17', false],
    ]);
  });

  it('know what a resume replaced', () => {
    expect(replacedRanges(curve)).toEqual([[1800, 2700]]);
    expect(replacedRanges(null)).toEqual([]);
  });
});
