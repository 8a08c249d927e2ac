import { describe, expect, it } from 'vitest';
import type { RunRow } from '../../../main/contract/window/runs.ts';
import { formatSort, lastKl, matches, parseSort, sortRuns, usualSort } from './run-table.ts';

const run = (id: string, more: Partial<RunRow> = {}): RunRow => ({
  ...({
    id,
    name: id,
    note: '',
    recipe: 'webmix',
    modelName: 'Qwen3.5-4B',
    state: 'finished',
    elsewhere: false,
    host: null,
  } as RunRow),
  created: 100,
  started: 100,
  rows: 10,
  totalRows: 10,
  durationSeconds: 5,
  roles: ['ce', 'kl'],
  lastLog: { ce: 0.4, kl: 0.01 },
  evaluations: [],
  ...more,
});

describe('the runs table', () => {
  it('finds all words, in name, note, state, model and recipe', () => {
    const one = run('pooled-v5', { note: 'all seven', state: 'lost' });
    expect(matches(one, 'POOLED seven')).toBe(true);
    expect(matches(one, 'interrupted qwen')).toBe(true);
    expect(matches(one, 'pooled done')).toBe(false);
    expect(matches(one, '  ')).toBe(true);
  });

  it('sorts, with what is missing at the end in both directions', () => {
    const runs = [run('a', { lastLog: { ce: 0.5 } }), run('b', { lastLog: null }), run('c', { lastLog: { ce: 0.3 } })];
    expect(sortRuns(runs, { by: 'ce', descending: false }).map((each) => each.id)).toEqual(['c', 'a', 'b']);
    expect(sortRuns(runs, { by: 'ce', descending: true }).map((each) => each.id)).toEqual(['a', 'c', 'b']);
    const named = [run('s10'), run('s9', { created: 200 })];
    expect(sortRuns(named, { by: 'name', descending: false }).map((each) => each.id)).toEqual(['s9', 's10']);
    expect(sortRuns(named, { by: 'recipe', descending: true }).map((each) => each.id)).toEqual(['s9', 's10']);
  });

  it('keeps the sort in the address', () => {
    expect(parseSort('-name')).toEqual({ by: 'name', descending: true });
    expect(parseSort(formatSort({ by: 'ce', descending: false }))).toEqual({ by: 'ce', descending: false });
    expect(formatSort(usualSort)).toBeUndefined();
    expect(parseSort('furlongs')).toEqual(usualSort);
  });

  it('takes a KL of exactly 0 as not measured', () => {
    expect(lastKl(run('a', { lastLog: { ce: 1, kl: 0 } }))).toBeNull();
    expect(lastKl(run('a'))).toBe(0.01);
    expect(lastKl(run('a', { roles: ['ce'] }))).toBeNull();
  });
});
