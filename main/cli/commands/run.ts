/** `whetstone run RECIPE [flags]`, `whetstone run --plan FILE` and `whetstone resume RUN`. Work without the app and without a database. */
import { AppError } from '../../contract/errors.ts';
import { findRunFolder, readRunFile } from '../../trainer/run-folder.ts';
import { adoptPlan, createRun, prepareRun } from '../../trainer/launch.ts';
import { notStarted, startRun, waitForStart } from '../../trainer/start-run.ts';
import { isOver, readStatus } from '../../trainer/status.ts';
import { unverifiedText, verifiedText } from '../../trainer/verified.ts';
import { runsFolder } from '../../paths.ts';
import { logoutWarning } from '../../trainer/logout.ts';
import { preparedLines } from '../census-lines.ts';
import { followRun } from '../follow-run.ts';
import { createProgress } from '../progress-bar.ts';
import { formatRunHelp, readRunFlags } from '../run-flags.ts';
import { prepareHooks } from './plan.ts';

export async function runCommand(words: readonly string[]): Promise<void> {
  if (words[0] === '--plan' || words[0]?.startsWith('--plan=')) return runPlan(words);
  const flags = readRunFlags(words);
  if (flags.help) {
    console.log(formatRunHelp('run', words));
    return;
  }
  for (const note of flags.notes) console.error(note);
  if (flags.json) console.error('--json: does nothing here; log records are JSON anyway, whetstone show has the rest');
  const progress = createProgress();
  const prepared = await prepareRun(flags.request, { ...prepareHooks(progress), checkOutput: true });
  progress.clear();
  for (const line of preparedLines(prepared)) console.log(line);
  await create(prepared, flags.detach);
}

/** A plan of one's own (docs/formats/plan.md): run, shown and resumed like any other. */
async function runPlan(words: readonly string[]): Promise<void> {
  const [file, ...rest] = words
    .flatMap((word) => (word.startsWith('--plan=') ? [word.slice(7)] : [word]))
    .slice(words[0] === '--plan' ? 1 : 0);
  const unknown = rest.filter((word) => word !== '--detach');
  if (!file || unknown.length > 0)
    throw new AppError(
      'usage',
      file ? `--plan goes with --detach alone, not with ${unknown.join(' ')}` : '--plan needs the path of a plan.json',
      'All other settings stand in the plan: whetstone run --plan plan.json [--detach]',
    );
  await create(await adoptPlan(file), rest.length > 0);
}

async function create(prepared: Parameters<typeof createRun>[0], detach: boolean): Promise<void> {
  const { folder, run } = await createRun(prepared, 'cli');
  console.log(`run ${run.id} (${run.name}) in ${folder}`);
  console.log(verifiedText(run.verified) ?? unverifiedText(run.request));
  console.log('');
  await start(folder, false, detach);
}

export async function resumeCommand(wanted: string, options: { detach?: boolean }): Promise<void> {
  const folder = findRunFolder(runsFolder(), wanted);
  const { state, host, elsewhere } = readStatus(folder);
  if (state === 'finished')
    throw new AppError('run-finished', `the run in ${folder} is finished`, 'There is nothing left to do.');
  if (!isOver(state))
    throw new AppError(
      'run-at-work',
      `the run in ${folder} is ${state}${elsewhere ? ` on ${host ?? 'another host'}` : ''}`,
      'Stop it first: whetstone stop',
    );
  await start(folder, true, options.detach ?? false);
}

async function start(folder: string, resume: boolean, detach: boolean): Promise<void> {
  const run = readRunFile(folder);
  if (!run)
    throw new AppError(
      'run-file',
      `there is no run.json in ${folder}`,
      'Start its plan by hand: .whetstone/build/whetstone-trainer train --resume --plan plan.json',
    );
  const running = await startRun(folder, run, { resume });
  if (!detach) {
    process.exitCode = await followRun(folder, running.started, running.offset);
    return;
  }
  if (!(await waitForStart(folder, running))) throw notStarted(folder);
  const warning = logoutWarning();
  if (warning) console.error(warning);
  console.log(run.id);
}
