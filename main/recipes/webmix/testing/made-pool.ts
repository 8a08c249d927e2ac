/** Pools made of nothing, for tests: rows with the fields that a plan looks at, and an encoded form for each. */
import type { EncodedRow, Pool, PoolRow } from '../../../contract/pool.ts';
import type { PlanTarget } from '../../recipe.ts';

export type MadeRow = Partial<PoolRow> & { taskId: string; family: string };

/** Episodes are the task ids; lines count within an episode; every key differs. */
export function madePool(rows: readonly MadeRow[]): Pool {
  const lines = new Map<string, number>();
  const full = rows.map((row, i): PoolRow => {
    const line = (lines.get(row.taskId) ?? 0) + 1;
    lines.set(row.taskId, line);
    return {
      episode: row.taskId,
      folder: `/rows/${row.taskId}`,
      line,
      offset: 0,
      length: 1,
      key: i.toString(16).padStart(64, '0'),
      step: line,
      segment: null,
      macro: null,
      op: null,
      resolved: true,
      memoryBy: null,
      parts: null,
      images: [],
      ...row,
    };
  });
  return { folders: ['/rows'], rows: full, bad: [], leftOut: { inject: 0, augPrefix: 0 }, linkTargets: [] };
}

/** `episodes` of `steps` rows each in every one of the families; about 5 % of them are held out. */
export function madeEpisodes(families: readonly string[], episodes: number, steps: number): Pool {
  const rows = families.flatMap((family, f) =>
    Array.from({ length: episodes * steps }, (_, i) => ({ taskId: `f${f}-task-${Math.floor(i / steps)}`, family })),
  );
  return madePool(rows);
}

/** Lengths that differ from row to row; two files. */
export function madeEncoding(
  pool: Pool,
  changes: (row: PoolRow) => Partial<EncodedRow> = () => ({}),
): PlanTarget['encoded'] {
  const indices = new Map(pool.rows.map((row, i) => [row, i]));
  return (row) => {
    const i = indices.get(row);
    if (i === undefined) return undefined;
    const targets = 10 + (i % 7);
    const base = { file: i % 2 === 0 ? '/encoded/a.safetensors' : '/encoded/b.safetensors', row: i >> 1 };
    const sizes = { tokens: 100 + (i % 50), imageTokens: 0, targets, actionTargets: targets - 4, fallback: null };
    return { ...base, ...sizes, ...changes(row) };
  };
}

export function madeTarget(pool: Pool, changes: Partial<PlanTarget> = {}): PlanTarget {
  return {
    name: 'test-run',
    encoded: madeEncoding(pool),
    hardware: { threads: 2, device: 'auto' },
    model: { path: '/models/tiny', name: 'org/tiny', revision: null },
    paths: { output: '/adapters/test', rowsFolders: ['/rows'] },
    ...changes,
  };
}
