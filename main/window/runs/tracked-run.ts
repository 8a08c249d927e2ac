/** A run as it is followed: how far its events were taken in, and what of its folder's files decides about its state. */
import type { RunFile, RunState, RunStatus } from '../../contract/runs.ts';
import type { DraftRequest } from '../../contract/window/draft.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { EventBatch } from '../../trainer/event-tailer.ts';
import { addFacts, deriveStatus, isOver, stopAskedAt, type StatusFacts } from '../../trainer/status.ts';
import { readRunFile } from '../../trainer/run-folder.ts';
import { factsOf, type StatusFiles } from '../../trainer/summary.ts';
import { verifiedText } from '../../trainer/verified.ts';

export class TrackedRun {
  readonly id: string;
  /** Key inside the database. */
  readonly key: number;
  /** Seconds since 1970. */
  readonly created: number;
  folder: string;
  name: string;
  note: string;
  /** Byte of events.jsonl up to which the history knows it. */
  offset: number;
  facts: StatusFacts;
  files: StatusFiles = { launch: null, stopAsked: null };
  /** What was asked for, where run.json says it. */
  request: DraftRequest | null = null;
  /** What it was verified against, in a line. */
  verified: string | null = null;
  gone = false;
  /** Of the run folder: changes when a file in it comes, goes or is replaced. '' before the first look. */
  stamp = '';
  /** Counts what a line of the table may show of it. */
  version = 0;
  #status: RunStatus | undefined;
  #state: RunState | undefined;
  /** Time of its last word, seconds since 1970. */
  #heard: number | null = null;

  constructor(record: RunRecord) {
    this.id = record.id;
    this.key = record.run;
    this.created = record.created;
    this.folder = record.folder;
    this.name = record.name;
    this.note = record.note;
    this.offset = record.eventsOffset;
    this.facts = factsOf(record);
  }

  /** Newest first, as the list has them. */
  static compare(one: TrackedRun, other: TrackedRun): number {
    return other.created - one.created || (one.id < other.id ? 1 : -1);
  }

  describe({ folder, name, note }: { folder: string; name: string; note: string }): void {
    Object.assign(this, { folder, name, note });
    this.version += 1;
  }

  took(batch: EventBatch): void {
    this.offset = batch.offset;
    this.facts = addFacts(this.facts, batch);
    this.version += 1;
    this.#status = undefined;
  }

  readFiles(): void {
    const runFile = readRunFileOrNone(this.folder);
    this.files = { launch: runFile?.launches.at(-1) ?? null, stopAsked: stopAskedAt(this.folder) };
    this.request = runFile?.request ?? null;
    this.verified = verifiedText(runFile?.verified);
    this.version += 1;
    this.#status = undefined;
  }

  setGone(gone: boolean): void {
    this.gone = gone;
    this.version += 1;
  }

  /** As it was last derived; looks at the process where the run is not over, every time when `anew`. */
  status(anew = false): RunStatus {
    const now = Date.now() / 1000;
    if (!this.#status || (anew && !isOver(this.#status.state))) {
      const status = deriveStatus({ facts: this.facts, ...this.files, now });
      if (this.#state !== status.state) this.version += 1;
      this.#state = status.state;
      this.#status = status;
      this.#heard = status.lastHeardSeconds === null ? null : now - status.lastHeardSeconds;
    }
    return { ...this.#status, lastHeardSeconds: this.#heard === null ? null : Math.max(0, now - this.#heard) };
  }

  /** As it was last shown, without a look at anything. */
  get shownState(): RunState | undefined {
    return this.#state;
  }

  /** Over, and has not said how: its last words may not have been read yet. */
  get overUnsaid(): boolean {
    return this.over && this.facts.terminal === null;
  }

  get over(): boolean {
    return isOver(this.status().state);
  }
}

/** A damaged run.json must not hide the run. */
function readRunFileOrNone(folder: string): RunFile | undefined {
  try {
    return readRunFile(folder);
  } catch {
    return undefined;
  }
}
