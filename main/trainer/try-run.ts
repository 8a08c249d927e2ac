/**
 * `try`: the longest rows of a plan, forward and backward on the real device, so that whether a run fits and about how long it takes is known before it
 * starts. The plan goes into a folder of its own, which is gone afterwards, however the try ends.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import type { Census } from '../contract/census.ts';
import { AppError } from '../contract/errors.ts';
import type { TryAnswer, TryRow } from '../contract/window/draft.ts';
import type { Environment } from '../paths.ts';
import { askTrainer } from './ask-trainer.ts';

const answerSchema = z.object({
  device: z.object({ kind: z.string(), name: z.string(), memory_gib: z.number() }),
  peak_gib: z.number(),
  seconds: z.number(),
  rows: z.array(
    z.object({
      ...{ role: z.string(), name: z.string(), tokens: z.number(), targets: z.number() },
      ...{ forward_s: z.number(), backward_s: z.number(), reference_s: z.number(), peak_gib: z.number() },
    }),
  ),
});

/** What the trainer measured; `estimateSeconds` is the caller's to add, who has the census. */
export type Tried = Omit<TryAnswer, 'time' | 'estimateSeconds'>;

export interface TryOptions {
  environment?: Environment;
  signal?: AbortSignal;
}

/**
 * @param writePlanInto writes plan.json into the folder that it is given, and gives the file's path.
 * Gives what was measured, and the trainer's own JSON. Throws AppError.
 */
export async function tryRun(
  writePlanInto: (folder: string) => string | Promise<string>,
  options: TryOptions = {},
): Promise<{ tried: Tried; text: string }> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'whetstone-try-'));
  try {
    const file = await writePlanInto(folder);
    options.signal?.throwIfAborted();
    const text = await askTrainer(['try', '--plan', file], options);
    return { tried: parseTried(text), text };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function parseTried(text: string): Tried {
  let answer: z.infer<typeof answerSchema>;
  try {
    answer = answerSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new AppError(
      'trainer-answer',
      'the trainer answered something that this version does not understand',
      'It may be of another version. Build it anew with: npm run setup',
      { cause: error },
    );
  }
  const { kind, name, memory_gib: memoryGib } = answer.device;
  return {
    device: { kind, name, memoryGib },
    peakGib: answer.peak_gib,
    seconds: answer.seconds,
    rows: answer.rows.map((row): TryRow => ({
      ...{ role: row.role, name: row.name, tokens: row.tokens, targets: row.targets },
      ...{ forwardSeconds: row.forward_s, backwardSeconds: row.backward_s, referenceSeconds: row.reference_s },
      peakGib: row.peak_gib,
    })),
  };
}

/**
 * Seconds that training may take: for each role, the tokens of all its visits times the seconds a token that its tried rows took (forward, backward and
 * reference), over the ranks, which share the visits evenly. The tried rows are the longest, whose attention costs more a token and whose fixed costs less;
 * the first of them also warms the device up. Optimizer steps, evaluations and saving are not in it. So it is about right, and never to be shown as more.
 * null where a role has visits and none of its rows was tried.
 */
export function estimateSeconds(roles: Census['roles'], ranks: number, tried: readonly TryRow[]): number | null {
  let seconds = 0;
  for (const role of roles) {
    if (role.visits === 0) continue;
    const rows = tried.filter((row) => row.role === role.name);
    const tokens = rows.reduce((sum, row) => sum + row.tokens, 0);
    if (tokens === 0) return null;
    const spent = rows.reduce((sum, row) => sum + row.forwardSeconds + row.backwardSeconds + row.referenceSeconds, 0);
    seconds += (role.tokens * spent) / tokens;
  }
  return seconds === 0 ? null : seconds / ranks;
}
