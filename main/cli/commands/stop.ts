/** `whetstone stop RUN`: with a checkpoint, or at once. */
import { runsFolder } from '../../paths.ts';
import { findRunFolder } from '../../trainer/run-folder.ts';
import { readStatus } from '../../trainer/status.ts';
import { stopRun } from '../../trainer/stop.ts';

export async function stopCommand(wanted: string, options: { kill?: boolean }): Promise<void> {
  const folder = findRunFolder(runsFolder(), wanted);
  const outcome = await stopRun(folder, { kill: options.kill ?? false });
  if (outcome === 'was-over') console.log(`it was over already: ${readStatus(folder).state}`);
  else if (outcome === 'stopped') console.log('stopped; whetstone resume goes on from here');
  else
    console.log(
      options.kill
        ? 'ended'
        : 'it did not stop within 30 s and was ended; whetstone resume goes on from its newest resume state',
    );
}
