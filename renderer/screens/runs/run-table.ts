/** Pure part of the runs table: what the filter matches, what a column sorts by, what a cell says. */
import type { RunRow } from '../../../main/contract/window/runs.ts';
import { stateWord } from '../../components/state-mark.tsx';

export const columns = [
  'state',
  'name',
  'recipe',
  'model',
  'progress',
  'ce',
  'kl',
  'heldOut',
  'started',
  'duration',
] as const;
export type Column = (typeof columns)[number];
export interface Sort {
  by: Column;
  descending: boolean;
}
export const usualSort: Sort = { by: 'started', descending: true };

/** `-started` is descending. What is not known is the usual order. */
export function parseSort(text: string | undefined): Sort {
  const by = columns.find((column) => column === text?.replace(/^-/, ''));
  return by === undefined ? usualSort : { by, descending: text?.startsWith('-') ?? false };
}
export const formatSort = (sort: Sort): string | undefined =>
  sort.by === usualSort.by && sort.descending === usualSort.descending
    ? undefined
    : `${sort.descending ? '-' : ''}${sort.by}`;

/** Role of the CE column: the first loss that is not the divergence from the base model. */
export const ceRole = (run: Pick<RunRow, 'roles'>): string | undefined => run.roles.find((role) => role !== 'kl');

/** Mean of the last log record; null where there was none. */
export function lastOf(run: Pick<RunRow, 'lastLog'>, role: string | undefined): number | null {
  const value = role === undefined ? undefined : run.lastLog?.[role];
  return typeof value === 'number' ? value : null;
}

/** KL of the last log record. The trainer writes 0 when no anchor row came since the record before: that is no measurement. */
export function lastKl(run: Pick<RunRow, 'lastLog' | 'roles'>): number | null {
  const value = run.roles.includes('kl') ? lastOf(run, 'kl') : null;
  return value === 0 ? null : value;
}

export const lastHeldOut = (run: Pick<RunRow, 'evaluations'>): RunRow['evaluations'][number] | undefined =>
  run.evaluations[0];

/** All words have to be in it, in any of these places. */
export function matches(run: RunRow, filter: string): boolean {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const host = run.elsewhere ? (run.host ?? '') : '';
  const text = [run.name, run.note, stateWord(run.state), run.state, run.modelName, run.recipe, host, run.id]
    .join('\n')
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

const stateOrder = ['running', 'stopping', 'preparing', 'failed', 'lost', 'stopped', 'finished'];

function keyOf(run: RunRow, by: Column): number | string | null {
  switch (by) {
    case 'state':
      return stateOrder.indexOf(run.state);
    case 'name':
      return run.name.toLowerCase();
    case 'recipe':
      return run.recipe;
    case 'model':
      return run.modelName.toLowerCase();
    case 'progress':
      return run.totalRows === 0 ? 0 : run.rows / run.totalRows;
    case 'ce':
      return lastOf(run, ceRole(run));
    case 'kl':
      return lastKl(run);
    case 'heldOut':
      return lastHeldOut(run)?.mean ?? null;
    case 'started':
      return run.started ?? run.created;
    case 'duration':
      return run.durationSeconds;
  }
}

/** A new array. Missing values come last in both directions; what is equal stays newest first. */
export function sortRuns(runs: readonly RunRow[], { by, descending }: Sort): RunRow[] {
  const sign = descending ? -1 : 1;
  return runs
    .map((run) => ({ run, key: keyOf(run, by) }))
    .sort((a, b) => {
      if (a.key === null || b.key === null) {
        if (a.key !== b.key) return a.key === null ? 1 : -1;
      } else if (a.key !== b.key) {
        const less =
          typeof a.key === 'string' && typeof b.key === 'string'
            ? a.key.localeCompare(b.key, 'en', { numeric: true }) < 0
            : a.key < b.key;
        return less ? -sign : sign;
      }
      return b.run.created - a.run.created;
    })
    .map(({ run }) => run);
}
