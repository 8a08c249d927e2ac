/**
 * Which rows are held out, and which a data fraction or an episode list keeps. Decided for whole trajectories, so that nothing of a held-out one leaks into
 * training through a variant: a recovery follows the episode it was made from, a chain follows its parts. The hashes are those of the Python trainer, so a
 * pool splits here as it does there.
 */
import { hash } from 'node:crypto';
import type { PoolRow } from '../../contract/pool.ts';

/** Share of the trajectories that is held out. Fixed: figures of different runs compare only over one split. */
export const heldOutFraction = 0.05;

/** The task that a variant was made from: the id up to its first `~`. */
export function baseTask(taskId: string): string {
  const end = taskId.indexOf('~');
  return end < 0 ? taskId : taskId.slice(0, end);
}

/** A row's trajectories: the parts of a chain, else its base task. Never empty. */
export function trajectoriesOf(row: Pick<PoolRow, 'taskId' | 'parts'>): readonly string[] {
  return row.parts !== null && row.parts.length > 0 ? row.parts : [baseTask(row.taskId)];
}

/** In [0, 1]: the first eight hex digits of the md5 of `text` (UTF-8) over 0xFFFFFFFF. */
export function hashFraction(text: string): number {
  return parseInt(hash('md5', text, 'hex').slice(0, 8), 16) / 0xffffffff;
}

/** Answers for the rows of one pool; keeps the hashes, since a trajectory has many rows. */
export class Splits {
  readonly #heldOut = new Map<string, boolean>();
  readonly #kept = new Map<string, number>();

  /** Held out when any of its trajectories is. */
  isHeldOut(row: PoolRow): boolean {
    return trajectoriesOf(row).some((id) => {
      let held = this.#heldOut.get(id);
      if (held === undefined) this.#heldOut.set(id, (held = hashFraction(id) < heldOutFraction));
      return held;
    });
  }

  /** Kept by a fraction when all its trajectories are: nested over fractions, independent of what is held out. */
  isInFraction(row: PoolRow, fraction: number): boolean {
    if (fraction >= 1) return true;
    return trajectoriesOf(row).every((id) => {
      let value = this.#kept.get(id);
      if (value === undefined) this.#kept.set(id, (value = hashFraction(`frac:${id}`)));
      return value < fraction;
    });
  }
}

/** Kept by an episode list when all its trajectories are listed. */
export function isListed(row: PoolRow, ids: ReadonlySet<string> | null): boolean {
  return ids === null || trajectoriesOf(row).every((id) => ids.has(id));
}
