/** `whetstone try RECIPE [flags]`: the longest rows of the plan, forward and backward on the real device. Whether a run fits is known before it starts. */
import { AppError } from '../../contract/errors.ts';
import { writePlan } from '../../plan/write-plan.ts';
import { prepareRun } from '../../trainer/launch.ts';
import { tryRun } from '../../trainer/try-run.ts';
import { adapterLine } from '../census-lines.ts';
import { createProgress } from '../progress-bar.ts';
import { formatRunHelp, readRunFlags } from '../run-flags.ts';
import { prepareHooks } from './plan.ts';

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
  const { tried, text } = await untilInterrupted((signal) =>
    tryRun((folder) => writePlan(prepared.plan, folder).file, { signal }),
  );
  if (flags.json) {
    process.stdout.write(text);
    return;
  }
  console.log(adapterLine(prepared.census));
  for (const row of tried.rows)
    console.log(
      `longest ${row.role} row ${row.name}: ${row.tokens} tokens, ${row.targets} targets; forward ${row.forwardSeconds.toFixed(2)} s, ` +
        `backward ${row.backwardSeconds.toFixed(2)} s${row.referenceSeconds > 0 ? `, reference ${row.referenceSeconds.toFixed(2)} s` : ''}; peak ${row.peakGib.toFixed(1)} GiB`,
    );
  const { device } = tried;
  console.log(`${device.kind} ${device.name}: peak ${tried.peakGib.toFixed(1)} of ${device.memoryGib.toFixed(1)} GiB`);
}

/** Ctrl-C ends the trainer, and what was made for it is cleared away before we end. */
async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = (): void => controller.abort(new AppError('cancelled', 'the try was stopped; nothing was made'));
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  try {
    return await work(controller.signal);
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}
