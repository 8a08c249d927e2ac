/**
 * Held-out CE of several runs beside each other. Only figures over the same rows (equal hash) can be compared: the set that most runs share is the one that counts,
 * and what was scored on another is said, not drawn.
 */
import type { RunDetail, RunEvaluation } from '../../../main/contract/window/runs.ts';

export interface SharedSet {
  set: string;
  hash: string;
  n: number;
}

/** The set that most of the runs were scored on; of equals the one of `reference`, then the larger. null: none was scored. */
export function sharedSet(runs: readonly RunDetail[], reference: string | null): SharedSet | null {
  const sets = new Map<string, SharedSet & { runs: Set<string> }>();
  for (const run of runs)
    for (const { set, hash, n } of run.evaluations) {
      const known = sets.get(hash) ?? { set, hash, n, runs: new Set<string>() };
      known.runs.add(run.id);
      sets.set(hash, known);
    }
  const [best] = [...sets.values()].sort(
    (a, b) =>
      b.runs.size - a.runs.size ||
      Number(b.runs.has(reference ?? '')) - Number(a.runs.has(reference ?? '')) ||
      b.n - a.n,
  );
  return best === undefined ? null : { set: best.set, hash: best.hash, n: best.n };
}

export const scoredOn = (run: RunDetail, set: SharedSet | null): RunEvaluation[] =>
  set === null ? [] : run.evaluations.filter((each) => each.hash === set.hash && each.mean !== null);

export const lastScored = (run: RunDetail, set: SharedSet | null): RunEvaluation | undefined =>
  scoredOn(run, set).at(-1);

export interface Difference {
  value: number;
  /** Of two means that are not paired: larger than that of a paired comparison. null: not known. */
  stderr: number | null;
}

/** Newest figure of `run` less that of `reference`. */
export function differenceTo(
  run: RunDetail,
  reference: RunDetail | undefined,
  set: SharedSet | null,
): Difference | null {
  if (reference === undefined || reference.id === run.id) return null;
  const [one, other] = [lastScored(run, set), lastScored(reference, set)];
  if (one?.mean == null || other?.mean == null) return null;
  const known = one.stderr !== null && other.stderr !== null;
  return { value: one.mean - other.mean, stderr: known ? Math.hypot(one.stderr ?? 0, other.stderr ?? 0) : null };
}
