/**
 * A run in the foreground: its lines as they come, and Ctrl-C. The first one asks the trainer for a checkpoint and a stop, the second ends it at once; the
 * process is in a group of its own, so the terminal's signal reaches only us.
 */
import { isTerminal, type RunEvent } from '../contract/events.ts';
import { followEvents } from '../trainer/event-tailer.ts';
import { eventsFile } from '../trainer/run-folder.ts';
import { logTail, type StartedTrainer } from '../trainer/spawn.ts';
import { stopRun } from '../trainer/stop.ts';
import { eventLine } from './event-lines.ts';
import { createProgress, duration } from './progress-bar.ts';

/** One press of Ctrl-C may arrive twice: from the terminal, and passed on by bin/whetstone.js. */
const samePressMs = 200;

/** Follows the run from `offset` until its process is gone. Gives the exit status: 0 only where it finished. */
export async function followRun(folder: string, started: StartedTrainer, offset = 0): Promise<number> {
  const progress = createProgress();
  let code: number | undefined;
  void started.exited.then((exit) => {
    code = exit;
  });
  // The process was let go of, so that a detached one does not hold us; here we wait for it.
  started.child.ref();
  const interrupts = handleInterrupts(folder, (text) => progress.line(text));
  let last: RunEvent | undefined;
  let totals = { rows: 0, began: 0, from: 0 };
  try {
    for await (const batch of followEvents(eventsFile(folder), { offset, over: () => code !== undefined })) {
      for (const event of batch.events) {
        last = event;
        if (event.kind === 'started') totals = { rows: event.rows, began: event.time, from: event.from_rows };
        if (event.kind === 'phase' && event.name !== 'training') progress.update(event.name, 0, totals.rows);
        if (event.kind === 'step') {
          const left = ((event.time - totals.began) / (event.rows - totals.from)) * (totals.rows - event.rows);
          progress.update('training', event.rows, totals.rows, `${duration(left)} left`);
        }
        const line = isTerminal(event) && event.kind === 'failed' ? undefined : eventLine(event);
        if (line !== undefined) progress.line(line);
      }
    }
    await started.exited;
  } finally {
    progress.clear();
    interrupts.remove();
  }
  await interrupts.done();
  if (last?.kind === 'finished') return 0;
  if (last?.kind === 'failed') {
    console.error(`error: ${last.message}`);
    if (last.hint) console.error(`hint: ${last.hint}`);
  } else if (interrupts.asked() && (last === undefined || last.kind === 'phase')) {
    // The signal came before the trainer could take it.
    console.error('stopped before training began; nothing was saved');
  } else if (last?.kind !== 'stopped') {
    reportSilentEnd(folder, code);
  }
  return 1;
}

/** The trainer is gone without a last event: what its log ends with is all there is. */
function reportSilentEnd(folder: string, code: number | undefined): void {
  const tail = logTail(folder, 15);
  const ended = code === undefined || code < 128 ? `with code ${code ?? '?'}` : `by signal ${code - 128}`;
  console.error(`error: the trainer ended ${ended} without a last word${tail ? `; the end of its log:\n${tail}` : ''}`);
  console.error(
    `hint: Its files are in ${folder}. whetstone resume goes on from the newest resume state, where there is one.`,
  );
}

function handleInterrupts(
  folder: string,
  say: (text: string) => void,
): { asked(): boolean; remove(): void; done(): Promise<void> } {
  let presses = 0;
  let lastPress = 0;
  let stopping: Promise<unknown> = Promise.resolve();
  const press = (): void => {
    if (Date.now() - lastPress < samePressMs) return;
    lastPress = Date.now();
    presses += 1;
    if (presses === 1) {
      say('stopping with a checkpoint; Ctrl-C once more ends it at once');
      stopping = stopRun(folder, { graceMs: 10 * 60_000 }).catch((error: unknown) => say(String(error)));
    } else {
      say('ending it');
      stopping = stopRun(folder, { kill: true }).catch((error: unknown) => say(String(error)));
    }
  };
  process.on('SIGINT', press);
  process.on('SIGTERM', press);
  return {
    asked: () => presses > 0,
    remove() {
      process.off('SIGINT', press);
      process.off('SIGTERM', press);
    },
    done: async () => {
      await stopping;
    },
  };
}
