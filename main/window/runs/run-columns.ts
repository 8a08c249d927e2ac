/**
 * The curves' numbers of a run in memory: read once, then only what came since. A new segment changes which steps count, so then they are read anew. A hundred thousand
 * steps take seconds: they are read in slices, between which the process follows runs and answers others.
 */
import { setImmediate as tick } from 'node:timers/promises';
import { AppError } from '../../contract/errors.ts';
import type { ReadDb } from '../../store/database.ts';
import { currentSegment, runSegments, type RunRecord } from '../../store/runs.ts';
import { eachReplacedStep, eachStep, type ReplacedPlace, type StepRecord } from '../../store/steps.ts';
import { StepTable } from './step-table.ts';

export interface RunColumns {
  kept: StepTable;
  /** Steps that a resume replaced, a table a segment. */
  replaced: Map<number, StepTable>;
}

/** Steps read at a time: about 10 ms of work. */
const sliceSteps = 1000;

function refuseClosed({ sqlite }: ReadDb): void {
  if (!sqlite.open) throw new AppError('closing', 'Whetstone is closing, or its history cannot be used any more');
}

class Columns implements RunColumns {
  readonly run: number;
  readonly segment: number;
  readonly kept = new StepTable();
  readonly replaced = new Map<number, StepTable>();
  /** Start of a segment by the clock, and seconds at work before it. */
  readonly #starts = new Map<number, { clock: number; before: number | undefined; fromStep: number }>();
  readonly #roles: readonly string[];
  #filling: Promise<void> | undefined;
  /** Where among the replaced steps the next one comes; undefined: all were read. They do not change within a segment. */
  #replacedAt: ReplacedPlace | null | undefined = null;

  constructor(db: ReadDb, { run, roles }: Pick<RunRecord, 'run' | 'roles'>, segment: number) {
    this.run = run;
    this.segment = segment;
    this.#roles = roles;
    for (const each of runSegments(db, run))
      this.#starts.set(each.segment, { clock: each.time, before: undefined, fromStep: each.fromStep });
  }

  /** Reads what is not here yet. Whoever asks while that goes on waits for the same reading, which ends with the newest step. */
  fill(db: ReadDb): Promise<void> {
    return (this.#filling ??= this.#fill(db).finally(() => (this.#filling = undefined)));
  }

  get bytes(): number {
    return [this.kept, ...this.replaced.values()].reduce((sum, table) => sum + table.bytes, 0);
  }

  async #fill(db: ReadDb): Promise<void> {
    while (this.#more(db)) {
      await tick();
      if (!db.sqlite.open)
        throw new AppError('closing', 'Whetstone is closing, or its history cannot be used any more');
    }
  }

  /** Reads a slice; true where more may be there. */
  #more(db: ReadDb): boolean {
    const take = (step: StepRecord): void => this.kept.push(step, this.#atWork(step.segment, step.time), this.#roles);
    if (eachStep(db, this.run, this.kept.step.last ?? -1, sliceSteps, take) === sliceSteps) return true;
    if (this.#replacedAt === undefined) return false;
    const read = eachReplacedStep(db, this.run, this.#replacedAt, sliceSteps, (step) => this.#takeReplaced(step));
    if (read < sliceSteps) this.#replacedAt = undefined;
    return read === sliceSteps;
  }

  #takeReplaced(step: StepRecord): void {
    let table = this.replaced.get(step.segment);
    if (!table) {
      const at = this.kept.below(step.step) - 1;
      const { step: steps, rows, tokens } = this.kept;
      const before = { step: steps.values[at] ?? -1, rows: rows.values[at] ?? 0, tokens: tokens.values[at] ?? 0 };
      this.replaced.set(step.segment, (table = new StepTable(before)));
    }
    table.push(step, this.#atWork(step.segment, step.time), this.#roles);
    this.#replacedAt = { segment: step.segment, step: step.step };
  }

  #atWork(segment: number, clock: number): number {
    const start = this.#starts.get(segment);
    // A step without a `started` event: a damaged line. Its time is the last known one.
    if (!start) return this.kept.time.last ?? 0;
    start.before ??= this.kept.time.values[this.kept.below(start.fromStep) - 1] ?? 0;
    return start.before + (clock - start.clock);
  }
}

const mostBytes = 160 << 20;

/** Those that were asked for last stay, up to a bound of memory. */
export class ColumnsCache {
  readonly #kept = new Map<number, Columns>();

  /** Up to date with the history. Throws AppError `closing`. */
  async of(db: ReadDb, record: Pick<RunRecord, 'run' | 'roles'>): Promise<RunColumns> {
    for (;;) {
      refuseClosed(db);
      const columns = this.#newest(db, record);
      await columns.fill(db);
      // A segment that began meanwhile has replaced steps that are in the table already.
      if (currentSegment(db, record.run) !== columns.segment) continue;
      this.#drop(columns);
      return columns;
    }
  }

  clear(): void {
    this.#kept.clear();
  }

  #newest(db: ReadDb, record: Pick<RunRecord, 'run' | 'roles'>): Columns {
    const segment = currentSegment(db, record.run);
    const known = this.#kept.get(record.run);
    const columns = known?.segment === segment ? known : new Columns(db, record, segment);
    this.#kept.delete(record.run);
    this.#kept.set(record.run, columns);
    return columns;
  }

  /** Those that were not asked for in the longest time, but not `used`, until all fit. */
  #drop(used: Columns): void {
    let bytes = 0;
    for (const each of this.#kept.values()) bytes += each.bytes;
    for (const [run, each] of this.#kept) {
      if (bytes <= mostBytes) break;
      if (each === used) continue;
      bytes -= each.bytes;
      this.#kept.delete(run);
    }
  }
}
