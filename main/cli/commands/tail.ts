/** `whetstone tail RUN [-f]`: log records, evaluations and checkpoints of a run, from its folder alone. */
import { runsFolder } from '../../paths.ts';
import { followEvents, readAllEvents } from '../../trainer/event-tailer.ts';
import { eventsFile, findRunFolder } from '../../trainer/run-folder.ts';
import { isOver, readStatus } from '../../trainer/status.ts';
import { eventLine } from '../event-lines.ts';
import type { RunEvent } from '../../contract/events.ts';

export async function tailCommand(wanted: string, options: { follow?: boolean }): Promise<void> {
  const folder = findRunFolder(runsFolder(), wanted);
  const print = (events: readonly RunEvent[]): void => {
    for (const event of events) {
      const line = eventLine(event);
      if (line !== undefined) console.log(line);
    }
  };
  if (!options.follow) {
    for (const batch of readAllEvents(eventsFile(folder))) print(batch.events);
    return;
  }
  // The state costs a reading of all events: asked for only when nothing has come for a while.
  let quiet = 0;
  const over = (): boolean => (quiet += 1) % 20 === 1 && isOver(readStatus(folder).state);
  for await (const batch of followEvents(eventsFile(folder), { over })) print(batch.events);
}
