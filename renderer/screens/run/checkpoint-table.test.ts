import { describe, expect, it } from 'vitest';
import type { RunEvaluation } from '../../../main/contract/window/runs.ts';
import { checkpointTable, tintOf } from './checkpoint-table.ts';

const evaluation = (rows: number, mean: number, more: Partial<RunEvaluation> = {}): RunEvaluation => ({
  set: 'held-out',
  rows,
  step: rows / 8,
  time: rows,
  checkpoint: rows === 0 ? null : `rows_${rows}`,
  n: 60,
  mean,
  stderr: 0.01,
  hash: 'e41a',
  groups: [
    { name: 'drag', n: 30, mean: mean + 0.1, stderr: 0.02 },
    { name: 'text', n: 30, mean: mean - 0.1, stderr: 0.02 },
  ],
  fields: [],
  ...more,
});
const saved = (rows: number) => ({
  kind: 'adapter' as const,
  name: `rows_${rows}`,
  folder: `/a/rows_${rows}`,
  rows,
  step: rows / 8,
  time: rows,
});

describe('checkpointTable', () => {
  it('has the base, every checkpoint, scored or not, and a column a group', () => {
    const { columns, rows } = checkpointTable({
      evaluations: [evaluation(0, 1.4), evaluation(80, 0.6)],
      checkpoints: [saved(80), saved(160), { ...saved(160), kind: 'resume', name: 'resume' }],
    });
    expect(columns.map((column) => [column.group, column.n])).toEqual([
      [null, 60],
      ['drag', 30],
      ['text', 30],
    ]);
    expect(rows.map((row) => [row.name, row.folder, row.cells[0]?.mean ?? null])).toEqual([
      ['base', null, 1.4],
      ['rows_80', '/a/rows_80', 0.6],
      ['rows_160', '/a/rows_160', null],
    ]);
    expect(rows[1]?.cells[1]?.mean).toBeCloseTo(0.7);
  });

  it('never puts another row set into the same column', () => {
    const { columns } = checkpointTable({
      evaluations: [evaluation(0, 1.4, { groups: [] }), evaluation(80, 0.6, { hash: '88c0', n: 70, groups: [] })],
      checkpoints: [],
    });
    expect(columns.map((column) => column.hash)).toEqual(['e41a', '88c0']);
  });

  it('has one column for one row set, whatever name it was scored under', () => {
    const { columns, rows } = checkpointTable({
      evaluations: [evaluation(0, 1.4), evaluation(80, 0.6, { set: 'val_epoch' })],
      checkpoints: [],
    });
    expect(columns.map(({ set, group }) => [set, group])).toEqual([
      ['held-out', null],
      ['held-out', 'drag'],
      ['held-out', 'text'],
    ]);
    expect(rows.map(({ cells }) => cells[0]?.mean)).toEqual([1.4, 0.6]);
  });

  it('tints against the best before, and not within two standard errors', () => {
    const means = [1, 0.5, 0.51, 0.6, 0.49];
    const { rows } = checkpointTable({
      evaluations: means.map((mean, i) => evaluation(i * 80, mean)),
      checkpoints: [],
    });
    expect(rows.map((row) => row.cells[0]?.tint)).toEqual([0, -4, 0, 3, 0]);
    expect(tintOf(0.5, null, 0.1)).toBe(0);
    expect(tintOf(0.5, 0, 0)).toBe(0);
  });
});
