/**
 * Owns the history while the window is open, and follows the run folders, which are the truth: ten times a second it looks for new events of runs at work, once a
 * second for everything else (new and deleted folders, wishes to stop, processes that are gone). Long histories are taken in in slices, newest run first, so
 * that the process goes on answering. A run that cannot be read is reported and hides no other.
 */
import { stat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as tick } from 'node:timers/promises';
import { AppError } from '../../contract/errors.ts';
import type { PushSink } from '../../contract/window/pushes.ts';
import type { WireError } from '../../contract/window/reply.ts';
import { databaseFile, runsFolder, type Environment } from '../../paths.ts';
import { databaseError, type WriteDb } from '../../store/database.ts';
import { ingest } from '../../store/ingest.ts';
import { listRuns } from '../../store/runs.ts';
import { readEvents } from '../../trainer/event-tailer.ts';
import { readPerson } from '../../trainer/person.ts';
import { eventsFile, planFile } from '../../trainer/run-folder.ts';
import { registerFolder, type RegisteredPlan } from '../../trainer/sync.ts';
import { holdHistory, type HeldHistory, type Holder } from './history-holder.ts';
import { PlanReader } from './plan-reader.ts';
import { PushGate } from './push-gate.ts';
import { TrackedRun } from './tracked-run.ts';

export interface KeeperOptions {
  environment: Environment;
  push: PushSink;
  report: (error: unknown) => void;
  carrier?: Holder['carrier'];
  /** How long another holder of the history is waited for. */
  waitMs?: number;
}

const followMs = 100;
const scanMs = 1000;
/** Of events.jsonl a turn: some 20 ms of work. */
const sliceBytes = 256 << 10;
/** How long the first answer waits for a history that is behind its run folders. */
const patienceMs = 1000;
/** A plan without its run.json is one that is just being made, for so long. */
const settleMs = 2000;

/** After which a folder that could not be taken in is tried again, though nothing in it has changed. */
const retryMs = 10_000;

/** Faults of the database that may pass: the history stays open. */
const passing = new Set(['disk-full', 'database-busy', 'database-unreadable']);

/** What a fault is about; it goes when that has gone well. */
type FaultKind = 'folders' | 'read' | 'cut' | 'asked';

interface Fault {
  kind: FaultKind;
  message: string;
  /** Of the folder when it was found, and when: `performance.now()`. */
  stamp: string;
  at: number;
}

export class RunKeeper {
  readonly #options: KeeperOptions;
  readonly plans = new PlanReader();
  readonly #gate: PushGate;
  readonly #runs = new Map<string, TrackedRun>();
  /** Ids of folders to take in. */
  readonly #behind = new Set<string>();
  readonly #faults = new Map<string, Fault>();
  readonly #closing = new AbortController();
  readonly #opened: (() => void)[] = [];
  #root: string | undefined;
  #held: HeldHistory | undefined;
  #problem: AppError | undefined;
  #ready: Promise<void>;
  #catchingUp: Promise<void> | undefined;
  #follower: NodeJS.Timeout | undefined;
  #scanner: NodeJS.Timeout | undefined;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#gate = new PushGate(options.push);
    // Not in this turn of the loop: what opens the window must not wait for the disk.
    this.#ready = tick().then(() => this.#open());
  }

  /** Why there is no history; null while it works. Wait for `ready` first. */
  get problem(): WireError | null {
    const problem = this.#problem;
    return problem ? { code: problem.code, message: problem.message, hint: problem.hint ?? null } : null;
  }

  /** Given when the window closes. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Resolves when the history was opened, or could not be. */
  ready(): Promise<void> {
    return this.#ready;
  }

  /** Opens the history again where it could not be. */
  retry(): Promise<void> {
    if (this.#problem) this.#ready = this.#ready.then(() => (this.#problem ? this.#open() : undefined));
    return this.#ready;
  }

  /** Throws AppError where there is no history. */
  async history(): Promise<WriteDb> {
    await this.#ready;
    if (this.#problem) throw this.#problem;
    if (!this.#held) throw new AppError('closing', 'Whetstone is closing');
    return this.#held.db;
  }

  /** Newest first. A run that is over and whose last words are still being read is left out until they are: it would be shown as lost. */
  runs(): TrackedRun[] {
    const known = [...this.#runs.values()].filter((run) => !(this.#behind.has(run.id) && run.overUnsaid));
    return known.sort((one, other) => TrackedRun.compare(one, other));
  }

  faults(): { folder: string; message: string }[] {
    return [...this.#faults].map(([id, { message }]) => ({ folder: this.#folder(id), message }));
  }

  /** Throws AppError `no-such-run`. */
  run(id: string): TrackedRun {
    const run = this.#runs.get(id);
    if (!run)
      throw new AppError(
        'no-such-run',
        `there is no run ${id} in the history`,
        'The list of runs shows those there are.',
      );
    return run;
  }

  /** Takes in what was just changed in a run folder (a new run, a launch, a wish, a name), without waiting for the next look. Throws AppError. */
  async look(folder: string): Promise<TrackedRun> {
    await this.history();
    const id = path.basename(folder);
    const added = !this.#runs.has(id);
    const plan = added ? await this.plans.registered(folder) : undefined;
    const db = await this.history();
    const run = this.#describe(db, folder, plan);
    run.readFiles();
    if (!this.#behind.has(id)) {
      while (this.#take(db, run)) await tick();
      this.#refresh(db, run);
    }
    this.#gate.changed([id], added);
    return run;
  }

  /** Something about a run changed that no folder shows. */
  changed(id: string): void {
    this.#gate.changed([id]);
  }

  /** Calls back whenever the history was opened: what was kept of another one does not hold. */
  onOpened(take: () => void): void {
    this.#opened.push(take);
  }

  /** A fault of something that went on after its request was answered; shown in the list. */
  complain(folder: string, error: unknown): void {
    if (!(error instanceof AppError)) this.#options.report(error);
    this.#setFault(path.basename(folder), 'asked', error instanceof Error ? error.message : String(error));
  }

  /** What was complained about has gone well. */
  settle(folder: string): void {
    this.#settle(path.basename(folder), 'asked');
  }

  close(): void {
    this.#closing.abort(new AppError('closing', 'Whetstone is closing'));
    this.#gate.close();
    this.#letGo();
    void this.plans.close();
  }

  #folder(id: string): string {
    return path.join((this.#root ??= runsFolder(this.#options.environment)), id);
  }

  async #open(): Promise<void> {
    const { environment, carrier = 'serve', waitMs, report } = this.#options;
    const { signal } = this.#closing;
    // Asked anew after every wait: closing may have come meanwhile.
    const closing = (): boolean => signal.aborted;
    if (closing()) return;
    try {
      const held = await holdHistory({ environment, carrier, signal, ...(waitMs === undefined ? {} : { waitMs }) });
      if (closing()) {
        held.release();
        return;
      }
      this.#held = held;
      this.#problem = undefined;
      for (const take of this.#opened) take();
      for (const record of listRuns(held.db)) this.#runs.set(record.id, new TrackedRun(record));
      await this.#scan(held);
      await Promise.race([this.#catchingUp, new Promise((resolve) => setTimeout(resolve, patienceMs).unref())]);
      if (this.#held !== held) return;
      this.#follower = setInterval(() => this.#follow(), followMs).unref();
      this.#scanLater();
    } catch (error) {
      if (closing()) return;
      this.#fail(databaseError(error, databaseFile(environment)), report);
    }
    this.#gate.changed([], true);
  }

  /** No history from now on. */
  #fail(error: Error, report: (error: unknown) => void): void {
    if (!(error instanceof AppError)) report(error);
    this.#problem =
      error instanceof AppError
        ? error
        : new AppError('history-fault', `the run history cannot be used: ${error.message}`, 'This is a bug of ours.');
    this.#letGo();
  }

  #letGo(): void {
    clearInterval(this.#follower);
    clearTimeout(this.#scanner);
    this.#held?.release();
    this.#held = undefined;
    this.#runs.clear();
    this.#behind.clear();
    this.#faults.clear();
  }

  #follow(): void {
    const db = this.#held?.db;
    if (!db) return;
    for (const run of this.#runs.values()) {
      if (run.gone || this.#behind.has(run.id) || run.over) continue;
      this.#guard(run.id, run.stamp, () => {
        // More than a few slices are not what a trainer says in a tenth of a second.
        let slices = 0;
        while (slices < 4 && this.#take(db, run)) slices += 1;
        if (slices === 4) this.#catchUp(run.id);
        else if (slices > 0) this.#refresh(db, run);
      });
      if (this.#held?.db !== db) return;
    }
  }

  #scanLater(): void {
    this.#scanner = setTimeout(() => {
      const held = this.#held;
      if (!held) return;
      this.#scan(held)
        .catch((error: unknown) => this.#options.report(error))
        .finally(() => {
          if (this.#held === held) this.#scanLater();
        });
    }, scanMs).unref();
  }

  /** Compares the run folders with what is known. */
  async #scan(held: HeldHistory): Promise<void> {
    const root = runsFolder(this.#options.environment);
    let there: Set<string>;
    try {
      there = new Set(
        (await readdir(root, { withFileTypes: true })).filter((each) => each.isDirectory()).map((each) => each.name),
      );
      this.#settle('.', 'folders');
    } catch (error) {
      if (!isMissing(error)) {
        // A network disk in a bad moment: nothing is gone.
        this.#setFault('.', 'folders', `the folder of all runs cannot be read just now: ${String(error)}`);
        return;
      }
      there = new Set();
    }
    const ids = new Set([...there, ...this.#runs.keys()]);
    await Promise.all([...ids].map((id) => this.#scanOne(held, id, there.has(id))));
    for (const [id, { kind }] of this.#faults) if (id !== '.' && !ids.has(id)) this.#settle(id, kind);
  }

  async #scanOne(held: HeldHistory, id: string, there: boolean): Promise<void> {
    const folder = this.#folder(id);
    const [own, plan, events] = there
      ? await Promise.all([
          look(folder),
          this.#runs.has(id) ? undefined : look(planFile(folder)),
          look(eventsFile(folder)),
        ])
      : [];
    if (this.#held !== held) return;
    const run = this.#runs.get(id);
    if (!run) {
      if (!own || !plan) return;
      const stamp = `${own.mtimeMs} ${plan.mtimeMs}`;
      const fresh = Date.now() - plan.mtimeMs < settleMs && !(await look(path.join(folder, 'run.json')));
      // A folder that cannot be taken in is tried again when something in it has changed.
      const fault = this.#faults.get(id);
      const again = fault?.stamp !== stamp || performance.now() - fault.at > retryMs;
      if (!fresh && again && this.#held === held) this.#catchUp(id);
      return;
    }
    if (run.gone === there) {
      run.setGone(!there);
      this.#gate.changed([id], true);
    }
    if (!own) return;
    const stamp = `${own.mtimeMs} ${own.ino}`;
    if (stamp !== run.stamp) {
      const first = run.stamp === '';
      run.stamp = stamp;
      this.#guard(id, stamp, () => {
        this.#describe(held.db, folder).readFiles();
        if (!first) this.#gate.changed([id]);
      });
    }
    const size = events?.size ?? 0;
    if (events && size < run.offset)
      this.#setFault(
        id,
        'cut',
        `events.jsonl has ${size} bytes, and ${run.offset} were taken in before: it was cut or replaced. Shown is what was taken in.`,
        stamp,
      );
    else this.#settle(id, 'cut');
    if (size > run.offset && (run.over || this.#faults.has(id))) this.#catchUp(id);
    if (!this.#behind.has(id) && !run.over) this.#guard(id, stamp, () => this.#refresh(held.db, run));
  }

  /** Takes `id` in, in slices, after those that are waiting already. */
  #catchUp(id: string): void {
    this.#behind.add(id);
    this.#catchingUp ??= this.#catchUpAll().finally(() => (this.#catchingUp = undefined));
  }

  async #catchUpAll(): Promise<void> {
    // Whoever asked asks for more in the same turn.
    await tick();
    const held = this.#held;
    while (held && this.#held === held && this.#behind.size > 0) {
      const id = [...this.#behind].sort().at(-1) ?? '';
      const folder = this.#folder(id);
      const stamp = await stampOf(folder);
      const plan = this.#runs.has(id)
        ? undefined
        : await this.plans.registered(folder).catch((error: unknown) => asError(error));
      if (this.#held !== held) return;
      const more = this.#guard(id, stamp, () => {
        if (plan instanceof Error) throw plan;
        const run = this.#runs.get(id) ?? this.#describe(held.db, folder, plan);
        if (run.stamp === '') run.readFiles();
        return this.#take(held.db, run);
      });
      if (!more && this.#behind.delete(id)) this.#gate.changed([id], true);
      await tick();
    }
  }

  /** One slice of new events; true where there was something. */
  #take(db: WriteDb, run: TrackedRun): boolean {
    const batch = readEvents(eventsFile(run.folder), run.offset, sliceBytes);
    if (batch.offset === run.offset) return false;
    ingest(db, run.key, run.offset, batch);
    run.took(batch);
    this.#gate.changed([run.id]);
    return true;
  }

  /** Looks at the process. One that is gone may have left last words since its events were read: they come first. */
  #refresh(db: WriteDb, run: TrackedRun): void {
    const before = run.shownState;
    run.status(true);
    if (run.overUnsaid) while (this.#take(db, run));
    if (run.status().state !== before) this.#gate.changed([run.id]);
  }

  /** @param plan of a run that is new: reading it takes seconds where it is large, which is no work for this thread. */
  #describe(db: WriteDb, folder: string, plan?: RegisteredPlan): TrackedRun {
    const followed = this.#runs.get(path.basename(folder));
    if (followed && isDescribed(followed, folder)) return followed;
    const record = registerFolder(db, folder, plan && (() => plan));
    const known = this.#runs.get(record.id);
    if (known) {
      const { folder: place, name, note } = record;
      if (known.folder !== place || known.name !== name || known.note !== note)
        known.describe({ folder: place, name, note });
      return known;
    }
    const run = new TrackedRun(record);
    this.#runs.set(record.id, run);
    this.#gate.changed([record.id], true);
    return run;
  }

  /** Runs `work` on one run. Its faults are the run's, unless the history itself is broken. */
  #guard<T>(id: string, stamp: string, work: () => T): T | undefined {
    const { environment, report } = this.#options;
    try {
      const answer = work();
      this.#settle(id, 'read');
      return answer;
    } catch (raw) {
      const error = databaseError(raw, databaseFile(environment));
      if (error instanceof AppError && error.code.startsWith('database-') && !passing.has(error.code)) {
        this.#fail(error, report);
        this.#gate.changed([], true);
        return undefined;
      }
      if (!(error instanceof AppError)) report(raw);
      this.#setFault(id, 'read', error.message, stamp);
      return undefined;
    }
  }

  #setFault(id: string, kind: FaultKind, message: string, stamp = ''): void {
    const known = this.#faults.get(id);
    this.#faults.set(id, { kind, message, stamp, at: performance.now() });
    if (known?.message !== message) this.#gate.changed([], true);
  }

  #settle(id: string, kind: FaultKind): void {
    if (this.#faults.get(id)?.kind !== kind) return;
    this.#faults.delete(id);
    this.#gate.changed([], true);
  }
}

/** Whether the history has it as its folder says: so hundreds of runs are not looked up again at every start. */
function isDescribed(run: TrackedRun, folder: string): boolean {
  const person = readPerson(folder);
  return run.folder === folder && run.name === (person?.name ?? run.name) && run.note === (person?.note ?? run.note);
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** undefined: not there, or not to be read just now. */
async function look(file: string): Promise<{ mtimeMs: number; ino: number; size: number } | undefined> {
  try {
    return await stat(file);
  } catch {
    return undefined;
  }
}

/** Of a folder that is not known yet. */
async function stampOf(folder: string): Promise<string> {
  const [own, plan] = await Promise.all([look(folder), look(planFile(folder))]);
  return `${own?.mtimeMs ?? 0} ${plan?.mtimeMs ?? 0}`;
}
