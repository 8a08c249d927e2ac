/**
 * Held-out CE by checkpoint as a table: a row a checkpoint (and the base model, where it was scored), a column a set and each of its groups. Differences are
 * tinted only where they are more than two standard errors. The errors here are of the two means, not paired, which tints too little rather than too much.
 */
import type { RunDetail, RunEvaluation } from '../../../main/contract/window/runs.ts';

export interface TableColumn {
  set: string;
  /** null: the whole set. */
  group: string | null;
  n: number;
  hash: string;
}

export interface TableCell {
  mean: number | null;
  stderr: number | null;
  /** -4 (much better than the best before) to 4 (much worse); 0: within two standard errors, or nothing to compare with. */
  tint: number;
}

export interface TableRow {
  name: string;
  /** null: not saved (the base model, or an evaluation without a checkpoint). */
  folder: string | null;
  rows: number;
  step: number;
  time: number | null;
  cells: (TableCell | null)[];
}

interface Figure {
  mean: number | null;
  stderr: number | null;
}

const figureOf = (evaluation: RunEvaluation, group: string | null): (Figure & { n: number }) | undefined =>
  group === null ? evaluation : evaluation.groups.find((each) => each.name === group);

export function checkpointTable(run: Pick<RunDetail, 'evaluations' | 'checkpoints'>): {
  columns: TableColumn[];
  rows: TableRow[];
} {
  const columns: TableColumn[] = [];
  for (const { set, hash, n, groups } of run.evaluations) {
    // The hash is the row set: another one under the same name is never in one column, the same one under two names is.
    if (!columns.some((c) => c.hash === hash && c.group === null)) columns.push({ set, group: null, n, hash });
    if (groups.length < 2) continue;
    for (const group of groups)
      if (!columns.some((c) => c.hash === hash && c.group === group.name))
        columns.push({ set, group: group.name, n: group.n, hash });
  }
  columns.sort((a, b) => order(columns, a) - order(columns, b));

  const rows = new Map<string, TableRow>();
  const rowOf = (name: string, at: Omit<TableRow, 'name' | 'cells'>): TableRow => {
    const key = `${name} ${at.rows}`;
    let row = rows.get(key);
    if (!row) rows.set(key, (row = { name, ...at, cells: columns.map(() => null) }));
    return row;
  };
  for (const { kind, name, folder, rows: at, step, time } of run.checkpoints)
    if (kind === 'adapter') rowOf(name, { folder, rows: at, step, time });
  for (const evaluation of run.evaluations) {
    const { checkpoint, rows: at, step } = evaluation;
    const known =
      checkpoint === null ? undefined : [...rows.values()].find((row) => row.name === checkpoint && row.rows === at);
    const row =
      known ??
      rowOf(checkpoint ?? (at === 0 ? 'base' : `at ${at.toLocaleString('en-US')} rows`), {
        folder: null,
        rows: at,
        step,
        time: null,
      });
    columns.forEach((column, i) => {
      if (column.hash !== evaluation.hash) return;
      const figure = figureOf(evaluation, column.group);
      if (figure) row.cells[i] = { mean: figure.mean, stderr: figure.stderr, tint: 0 };
    });
  }
  const sorted = [...rows.values()].sort((a, b) => a.rows - b.rows || (a.time ?? 0) - (b.time ?? 0));
  columns.forEach((_, i) => tintColumn(sorted.map((row) => row.cells[i] ?? null)));
  return { columns, rows: sorted };
}

const order = (columns: readonly TableColumn[], column: TableColumn): number =>
  columns.findIndex((each) => each.hash === column.hash) * 1000 + (column.group === null ? 0 : 1);

/** Against the best before: once something got worse, it stays marked until it is better again. */
function tintColumn(cells: readonly (TableCell | null)[]): void {
  let best: TableCell | null = null;
  for (const cell of cells) {
    if (cell?.mean == null) continue;
    if (best?.mean != null) cell.tint = tintOf(cell.mean - best.mean, cell.stderr, best.stderr);
    if (best?.mean == null || cell.mean < best.mean) best = cell;
  }
}

/** By how many standard errors of a difference: 2, 3, 5, 8. */
export function tintOf(difference: number, first: number | null, second: number | null): number {
  if (first === null || second === null) return 0;
  const error = Math.hypot(first, second);
  if (!(error > 0)) return 0;
  const size = Math.abs(difference) / error;
  const level = size < 2 ? 0 : size < 3 ? 1 : size < 5 ? 2 : size < 8 ? 3 : 4;
  return level === 0 ? 0 : Math.sign(difference) * level;
}
