/** What the main process tells the window unasked: that something changed, never the thing itself. The window pulls what it shows. */
import type { PushName } from './names.ts';

interface PushPayloads {
  /** Ids of runs whose line, curves or log changed. `list`: runs were added or removed too. At most ten a second. */
  'runs.changed': { runs: string[]; list: boolean };
  /** Of a long request; `of` 0: unknown. At most ten a second a job. */
  'job.progress': { job: string; stage: string; done: number; of: number };
}

/** Fails to compile when a name has no payload. */
export type Pushes = { [Name in PushName]: PushPayloads[Name] };

export type PushSink = <Name extends PushName>(name: Name, payload: Pushes[Name]) => void;
