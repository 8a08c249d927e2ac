/** `whetstone plan RECIPE [flags]`: what a run would do, in numbers. Makes nothing but cache entries. */
import { prepareRun, type PrepareHooks } from '../../trainer/launch.ts';
import { preparedLines } from '../census-lines.ts';
import { createProgress, type Progress } from '../progress-bar.ts';
import { formatRunHelp, readRunFlags } from '../run-flags.ts';

export function prepareHooks(progress: Progress): PrepareHooks {
  return {
    onProgress: (stage, done, of) => progress.update(stage, done, of),
    onWarning: (message) => {
      progress.clear();
      console.error(`warning: ${message}`);
    },
  };
}

export async function planCommand(words: readonly string[]): Promise<void> {
  const flags = readRunFlags(words);
  if (flags.help) {
    console.log(formatRunHelp('plan', words));
    return;
  }
  for (const note of flags.notes) console.error(note);
  const progress = createProgress();
  const prepared = await prepareRun(flags.request, prepareHooks(progress));
  progress.clear();
  if (!flags.json) {
    for (const line of preparedLines(prepared)) console.log(line);
    return;
  }
  const { census, model, badRows, linkTargets, plan } = prepared;
  console.log(
    JSON.stringify({ name: plan.name, output: plan.output.folder, model, badRows, linkTargets, census }, null, 2),
  );
}
