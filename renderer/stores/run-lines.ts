/** Lines of the runs table from one answer to the next: what has not changed keeps its identity. */
import type { RunRow } from '../../main/contract/window/runs.ts';

/** What the window shows of a row. Of a run that is over, "last heard" grows with every answer and is shown nowhere. */
const shown = (run: RunRow): string => JSON.stringify(isOver(run) ? { ...run, lastHeardSeconds: 0 } : run);

export const isOver = ({ state }: Pick<RunRow, 'state'>): boolean =>
  state === 'finished' || state === 'stopped' || state === 'failed' || state === 'lost';
export const isAtWork = (run: Pick<RunRow, 'state'>): boolean => !isOver(run);

const texts = new WeakMap<RunRow, string>();

/** Puts in rows of before where nothing has changed; answers `before` itself when nothing at all has. */
export function keepUnchanged(before: readonly RunRow[], now: readonly RunRow[]): readonly RunRow[] {
  const byId = new Map(before.map((run) => [run.id, run]));
  const kept = now.map((run) => {
    const old = byId.get(run.id);
    if (old === run) return run;
    const text = shown(run);
    if (old !== undefined && texts.get(old) === text) return old;
    texts.set(run, text);
    return run;
  });
  return kept.length === before.length && kept.every((run, i) => run === before[i]) ? before : kept;
}

/** `before` with the lines that are in `changed`. */
export function putChanged(before: readonly RunRow[], changed: readonly RunRow[]): readonly RunRow[] {
  const byId = new Map(changed.map((run) => [run.id, run]));
  return before.map((run) => byId.get(run.id) ?? run);
}
