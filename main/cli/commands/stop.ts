/** `whetstone stop RUN`: with a checkpoint, or at once. */
import { AppError } from '../../contract/errors.ts';
import { runsFolder } from '../../paths.ts';
import { findRunFolder } from '../../trainer/run-folder.ts';
import { readStatus } from '../../trainer/status.ts';
import { stopRun } from '../../trainer/stop.ts';

export async function stopCommand(wanted: string, options: { kill?: boolean }): Promise<void> {
  const folder = findRunFolder(runsFolder(), wanted);
  const outcome = await stopRun(folder, { kill: options.kill ?? false });
  const { state, failure } = readStatus(folder);
  // What its last word says counts: a full disk can take the resume state that was asked for.
  if (outcome === 'stopped' && failure)
    throw new AppError(
      failure.code,
      `the run failed while it was to stop: ${failure.message}`,
      failure.hint ?? undefined,
    );
  if (outcome === 'was-over') console.log(`it was over already: ${state}`);
  else if (outcome === 'stopped')
    console.log(state === 'finished' ? 'it had just finished' : 'stopped; whetstone resume goes on from here');
  else
    console.log(
      options.kill
        ? 'ended'
        : 'it did not stop within 30 s and was ended; whetstone resume goes on from its newest resume state',
    );
}
