/** The losses of an optimizer step as they are kept: a pair of float64 a role, so that a curve needs no visits. */
import type { Visit } from '../contract/events.ts';

/** A row's own mean, as the trainer has it: a row without weight has 0. */
export const rowMean = (sum: number, weight: number): number => (weight === 0 ? 0 : sum / weight);

/** Blob of [row visits, mean of row means] a role; roles behind the last one that occurs are left out. */
export function lossesOf(visits: readonly Pick<Visit, 'role' | 'sum' | 'w'>[]): Buffer {
  const pairs: [count: number, sum: number][] = [];
  for (const { role, sum, w } of visits) {
    while (pairs.length <= role) pairs.push([0, 0]);
    const pair = pairs[role];
    if (!pair) continue;
    pair[0] += 1;
    pair[1] += rowMean(sum, w);
  }
  const out = Buffer.alloc(pairs.length * 16);
  pairs.forEach(([count, sum], role) => {
    out.writeDoubleLE(count, role * 16);
    out.writeDoubleLE(count === 0 ? 0 : sum / count, role * 16 + 8);
  });
  return out;
}

/** Calls `take` for every role that has row visits in the step. The mean may be NaN or infinite. */
export function eachLoss(losses: Buffer, take: (role: number, mean: number) => void): void {
  for (let at = 0; at + 16 <= losses.length; at += 16)
    if (losses.readDoubleLE(at) > 0) take(at / 16, losses.readDoubleLE(at + 8));
}
