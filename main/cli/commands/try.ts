/** `whetstone try RECIPE [flags]`: the longest rows of the plan, forward and backward on the real device. Whether a run fits is known before it starts. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { writePlan } from '../../plan/write-plan.ts';
import { askTrainer } from '../../trainer/ask-trainer.ts';
import { prepareRun } from '../../trainer/launch.ts';
import { adapterLine } from '../census-lines.ts';
import { createProgress } from '../progress-bar.ts';
import { formatRunHelp, readRunFlags } from '../run-flags.ts';
import { prepareHooks } from './plan.ts';

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

export async function tryCommand(words: readonly string[]): Promise<void> {
  const flags = readRunFlags(words);
  if (flags.help) {
    console.log(formatRunHelp('try', words));
    return;
  }
  for (const note of flags.notes) console.error(note);
  const progress = createProgress();
  const prepared = await prepareRun(flags.request, prepareHooks(progress));
  progress.clear();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'whetstone-try-'));
  try {
    const { file } = writePlan(prepared.plan, folder);
    const text = await askTrainer(['try', '--plan', file]);
    if (flags.json) {
      process.stdout.write(text);
      return;
    }
    const answer = answerSchema.parse(JSON.parse(text));
    console.log(adapterLine(prepared.census));
    for (const row of answer.rows)
      console.log(
        `longest ${row.role} row ${row.name}: ${row.tokens} tokens, ${row.targets} targets; forward ${row.forward_s.toFixed(2)} s, ` +
          `backward ${row.backward_s.toFixed(2)} s${row.reference_s > 0 ? `, reference ${row.reference_s.toFixed(2)} s` : ''}; peak ${row.peak_gib.toFixed(1)} GiB`,
      );
    const { device } = answer;
    console.log(
      `${device.kind} ${device.name}: peak ${answer.peak_gib.toFixed(1)} of ${device.memory_gib.toFixed(1)} GiB`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
