/** Events as lines for a terminal or a pipe: the log records as the Python trainer printed them, evaluations and checkpoints likewise, one JSON object a line. */
import { logRecord, type RunEvent } from '../contract/events.ts';

/** The line of an event, or undefined where none is printed for it. */
export function eventLine(event: RunEvent): string | undefined {
  switch (event.kind) {
    case 'log':
      return JSON.stringify(logRecord(event));
    case 'evaluation': {
      const { set, rows, checkpoint, n, mean, stderr } = event;
      // JSON has no NaN: a number that is none is told as a text.
      const shown = (value: number): number | string => (Number.isFinite(value) ? value : String(value).toLowerCase());
      return JSON.stringify({ evaluation: set, rows, checkpoint, n, mean: shown(mean), stderr: shown(stderr) });
    }
    case 'checkpoint':
      return JSON.stringify({ checkpoint: event.name, rows: event.rows, folder: event.folder });
    case 'warning':
      return `warning: ${event.message}`;
    case 'stopped':
      return `stopped after ${event.rows} rows${event.resume ? `; it can go on from ${event.resume}` : ''}`;
    case 'finished':
      return `finished: ${event.rows} rows; the adapter is in ${event.folder}`;
    case 'failed':
      return `failed (${event.code}): ${event.message}`;
    case 'started':
    case 'phase':
    case 'step':
    case 'resume_state':
      return undefined;
  }
}
