/** What a try measured, by role: seconds a row (forward, backward and reference together), as the mean of the rows that were tried. */
import type { TryAnswer } from '../../../main/contract/window/draft.ts';

export interface RoleSeconds {
  role: string;
  seconds: number;
  rows: number;
}

export function secondsByRole({ rows }: Pick<TryAnswer, 'rows'>): RoleSeconds[] {
  const roles = new Map<string, { sum: number; rows: number }>();
  for (const row of rows) {
    const at = roles.get(row.role) ?? { sum: 0, rows: 0 };
    at.sum += row.forwardSeconds + row.backwardSeconds + row.referenceSeconds;
    at.rows += 1;
    roles.set(row.role, at);
  }
  return [...roles].map(([role, at]) => ({ role, seconds: at.sum / at.rows, rows: at.rows }));
}
