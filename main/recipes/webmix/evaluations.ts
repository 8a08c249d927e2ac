/**
 * Held-out sets. The Python trainer's are the first 100 (after an epoch) and 200 (at the end) held-out rows in an order shuffled by a generator of seed 1; ours
 * is one fixed set beside them, the same at every saved adapter, so that all points of a curve and all runs over one pool compare.
 */
import { createHash } from 'node:crypto';
import { PythonRandom } from '../../plan/python-random.ts';

export const heldOutSet = 'held_out';
export const epochSet = 'val_epoch';
export const endSet = 'val_end';

const sampleSeed = 1;
const epochRows = 100;
const endRows = 200;

/** Sets by name, as indices; sets without rows are left out. @param heldOut held-out rows of the adapter's families, in file order. */
export function evaluationSets(heldOut: readonly number[], heldOutRows: number): Map<string, number[]> {
  const shuffled = heldOut.slice();
  new PythonRandom(sampleSeed).shuffle(shuffled);
  const sets: [string, number[]][] = [
    [heldOutSet, shuffled.slice(0, heldOutRows)],
    [epochSet, shuffled.slice(0, epochRows)],
    [endSet, shuffled.slice(0, endRows)],
  ];
  return new Map(sets.filter(([, rows]) => rows.length > 0));
}

/** Identity of a row set, whatever its order: hex SHA-256 over the sorted row keys, a line break after each. */
export function hashRowKeys(keys: readonly string[]): string {
  const hash = createHash('sha256');
  for (const key of keys.slice().sort()) hash.update(`${key}\n`);
  return hash.digest('hex');
}
