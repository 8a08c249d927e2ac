/** What a person does to a run: names it, writes about it, stops it, goes on with it. */
import path from 'node:path';
import { setImmediate as tick } from 'node:timers/promises';
import { AppError } from '../../contract/errors.ts';
import type { LaunchAnswer } from '../../contract/window/draft.ts';
import { describeRun } from '../../store/runs.ts';
import { readAllEvents } from '../../trainer/event-tailer.ts';
import { logoutWarning } from '../../trainer/logout.ts';
import { readPerson, writePerson, type Person } from '../../trainer/person.ts';
import { eventsFile, readRunFile } from '../../trainer/run-folder.ts';
import { startTrainer } from '../../trainer/spawn.ts';
import { notStarted, waitForStart } from '../../trainer/start-run.ts';
import { isOver } from '../../trainer/status.ts';
import { stopRun } from '../../trainer/stop.ts';
import type { PartContext } from '../services.ts';
import type { RunKeeper } from './run-keeper.ts';
import type { TrackedRun } from './tracked-run.ts';

/** A checkpoint of a large model, after the step that is being computed: as long as the command line waits after Ctrl-C. */
const graceMs = 10 * 60_000;

/** Changes what people say of a run: in its folder, from which the history can be made again; of a run without a folder in the history alone. Throws AppError. */
export async function changePerson(keeper: RunKeeper, id: string, change: Partial<Person>): Promise<void> {
  const db = await keeper.history();
  const run = keeper.run(id);
  if (!run.gone) {
    writePerson(run.folder, { name: null, note: '', ...readPerson(run.folder), ...change });
    await keeper.look(run.folder);
    return;
  }
  const { folder, name, note } = { folder: run.folder, name: change.name ?? run.name, note: change.note ?? run.note };
  describeRun(db, run.key, { folder, name, note });
  run.describe({ folder, name, note });
  keeper.changed(id);
}

function refuseGone(run: TrackedRun, what: string): void {
  if (run.gone)
    throw new AppError(
      'run-folder-gone',
      `the folder of run ${run.id} is gone, so it cannot be ${what}: ${run.folder}`,
      'Put the folder back where it was. What is shown is what the history keeps.',
    );
}

/**
 * Resolves when the wish is written; how it ends is seen in the run's state, and what goes wrong on the way in the list's faults. Waiting for the end stops when
 * the window closes: the run ends by itself. Throws AppError.
 */
export async function stopFromWindow(keeper: RunKeeper, id: string, kill: boolean): Promise<void> {
  await keeper.history();
  const run = keeper.run(id);
  refuseGone(run, 'stopped');
  const { folder } = run;
  // Its newest words: it may have ended a moment ago.
  await keeper.look(folder);
  const { state, elsewhere, host } = run.status(true);
  if (isOver(state)) return;
  if (elsewhere)
    throw new AppError(
      'stop-elsewhere',
      `run ${id} is on ${host ?? 'another host'}, and this is another host`,
      `Stop it there: whetstone stop ${id}`,
    );
  if (!run.facts.started && !run.files.launch)
    throw new AppError('run-not-started', `run ${id} was made and not started`, 'There is no process to stop.');
  let asked = false;
  const outcome = stopRun(folder, { kill, graceMs, facts: run.facts, signal: keeper.closing });
  outcome.then(
    () => keeper.settle(folder),
    (error: unknown) => {
      // Until the request is answered its answer says what is wrong.
      if (asked) keeper.complain(folder, error);
    },
  );
  // The wish is written, and what can be refused was refused, before it first waits.
  await Promise.race([outcome, tick()]);
  asked = true;
  await keeper.look(folder);
}

/** Resumes that are under way, by run: who asks again meanwhile gets the same answer. */
const resuming = new Map<string, Promise<LaunchAnswer>>();

/** Goes on from the newest resume state. Resolves when the trainer has said its first word. Throws AppError. */
export function resumeFromWindow(context: PartContext, id: string): Promise<LaunchAnswer> {
  let answer = resuming.get(id);
  if (!answer) {
    answer = resume(context, id).finally(() => resuming.delete(id));
    resuming.set(id, answer);
  }
  return answer;
}

async function resume({ keeper, environment }: PartContext, id: string): Promise<LaunchAnswer> {
  await keeper.history();
  const known = keeper.run(id);
  refuseGone(known, 'resumed');
  const run = await keeper.look(known.folder);
  const { folder } = run;
  const { state, host, elsewhere } = run.status(true);
  if (state === 'finished') throw new AppError('run-finished', `run ${id} is finished`, 'There is nothing left to do.');
  if (!isOver(state))
    throw new AppError(
      'run-at-work',
      `run ${id} is ${state}${elsewhere ? ` on ${host ?? 'another host'}` : ''}`,
      'Stop it first.',
    );
  const runFile = readRunFile(folder);
  if (!runFile)
    throw new AppError(
      'run-file',
      `there is no run.json in ${folder}`,
      `Start its plan by hand: whetstone-trainer train --resume --plan ${path.join(folder, 'plan.json')}`,
    );
  if (runFile.launches.at(-1)?.time !== run.files.launch?.time)
    throw new AppError('run-at-work', `run ${id} was started a moment ago`, 'Wait a moment: it then shows as at work.');
  // Where its own words will begin: a long history may still be behind.
  let { offset } = run;
  for (const batch of readAllEvents(eventsFile(folder), offset)) offset = batch.offset;
  const started = await startTrainer(folder, runFile, { resume: true, environment });
  await keeper.look(folder);
  const atWork = await waitForStart(folder, { started, offset });
  await keeper.look(folder);
  if (!atWork) throw notStarted(folder);
  return { run: id, name: run.name, folder, warning: logoutWarning()?.replace(/^note: /, '') ?? null };
}
