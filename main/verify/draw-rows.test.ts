import { describe, expect, it } from 'vitest';
import type { PoolRow } from '../contract/pool.ts';
import { drawRows, type DrawSettings } from './draw-rows.ts';

const pool = (counts: Record<string, number>): PoolRow[] =>
  Object.entries(counts).flatMap(([family, count]) =>
    Array.from({ length: count }, (_, line) => ({
      ...{
        episode: family,
        folder: '/rows',
        line: line + 1,
        offset: 0,
        length: 0,
        key: `${family}-${line}`,
        taskId: 't',
      },
      ...{
        step: 0,
        segment: null,
        macro: null,
        family,
        op: null,
        resolved: null,
        memoryBy: null,
        parts: null,
        images: [],
      },
    })),
  );
const settings: DrawSettings = { adapter: null, families: null, rows: 12, seed: 0 };
const three = pool({ Navigation: 40, 'Text entry': 3, planner: 40 });
const count = <T>(values: readonly T[], value: T): number => values.filter((each) => each === value).length;

describe('rows for a verification', () => {
  it('are the same every time, others with another seed, none twice', () => {
    const keys = (seed: number): string[] =>
      drawRows(three, { ...settings, seed }).map(({ row, role }) => `${row.key} ${role}`);
    expect(keys(0)).toEqual(keys(0));
    expect(keys(1)).not.toEqual(keys(0));
    expect(new Set(drawRows(three, settings).map(({ row }) => row.key)).size).toBe(12);
  });

  it('are of every chosen family, and KL rows of the others', () => {
    const drawn = drawRows(three, settings);
    expect(drawn.filter(({ role }) => role === 'kl').map(({ row }) => row.family)).toEqual(Array(4).fill('planner'));
    const own = drawn.filter(({ role }) => role !== 'kl');
    expect(
      count(
        own.map(({ row }) => row.family),
        'Text entry',
      ),
    ).toBe(3);
    expect(
      count(
        own.map(({ role }) => role),
        'ce',
      ),
    ).toBe(4);
    const named = drawRows(three, { ...settings, families: ['planner'] });
    expect(named.filter(({ role }) => role !== 'kl').every(({ row }) => row.family === 'planner')).toBe(true);
  });

  it('are KL rows of the same families where there are no others', () => {
    const roles = drawRows(pool({ Navigation: 40 }), settings).map(({ role }) => role);
    expect(['ce', 'ce-action', 'kl'].map((role) => count<string>(roles, role))).toEqual([4, 4, 4]);
    expect(drawRows(pool({ Else: 5 }), settings)).toHaveLength(5);
  });

  it('are all rows of a small pool', () => {
    expect(drawRows(three, { ...settings, rows: 1000 })).toHaveLength(83);
    expect(drawRows(pool({ Navigation: 1, planner: 1 }), settings)).toHaveLength(2);
    expect(drawRows(pool({ Navigation: 2, planner: 1 }), { ...settings, rows: 1 })).toHaveLength(1);
  });

  it('are refused by name where nothing is left', () => {
    expect(() => drawRows([], settings)).toThrow(/no row that can be used/);
    expect(() => drawRows(three, { ...settings, adapter: 'drag' })).toThrow(/no row is of the family/);
    expect(() => drawRows(three, { ...settings, adapter: 'nope' })).toThrow(/no adapter preset/);
    expect(() => drawRows(three, { ...settings, adapter: 'drag', families: ['x'] })).toThrow(/listed too/);
  });
});
