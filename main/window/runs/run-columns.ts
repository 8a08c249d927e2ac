/** The curves' numbers of a run in memory: read once, then only what came since. A new segment changes which steps count, so then they are read anew. */
import type { ReadDb } from '../../store/database.ts';
import { runSegments, type RunRecord } from '../../store/runs.ts';
import { eachReplacedStep, eachStep } from '../../store/steps.ts';
import { StepTable } from './step-table.ts';

export interface RunColumns {
  kept: StepTable;
  /** Steps that a resume replaced, a table a segment. */
  replaced: Map<number, StepTable>;
}

class Columns implements RunColumns {
  readonly segment: number;
  readonly kept = new StepTable();
  readonly replaced = new Map<number, StepTable>();
  /** Start of a segment by the clock, and seconds at work before it. */
  readonly #starts = new Map<number, { clock: number; before: number | undefined; fromStep: number }>();
  readonly #roles: readonly string[];

  constructor(db: ReadDb, record: RunRecord) {
    this.segment = record.segment;
    this.#roles = record.roles;
    for (const { segment, time, fromStep } of runSegments(db, record.run))
      this.#starts.set(segment, { clock: time, before: undefined, fromStep });
    this.append(db, record);
    eachReplacedStep(db, record.run, (step) => {
      let table = this.replaced.get(step.segment);
      if (!table) {
        const at = this.kept.below(step.step) - 1;
        const before = { rows: this.kept.rows.values[at] ?? 0, tokens: this.kept.tokens.values[at] ?? 0 };
        this.replaced.set(step.segment, (table = new StepTable(before)));
      }
      table.push(step, this.#atWork(step.segment, step.time), this.#roles);
    });
  }

  append(db: ReadDb, record: RunRecord): void {
    eachStep(db, record.run, this.kept.step.last ?? -1, (step) =>
      this.kept.push(step, this.#atWork(step.segment, step.time), this.#roles),
    );
  }

  get bytes(): number {
    return [this.kept, ...this.replaced.values()].reduce((sum, table) => sum + table.bytes, 0);
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

  /** Up to date with the history. */
  of(db: ReadDb, record: RunRecord): RunColumns {
    let columns = this.#kept.get(record.run);
    this.#kept.delete(record.run);
    if (columns?.segment === record.segment) columns.append(db, record);
    else columns = new Columns(db, record);
    this.#kept.set(record.run, columns);
    let bytes = 0;
    for (const each of this.#kept.values()) bytes += each.bytes;
    for (const [run, each] of this.#kept) {
      if (bytes <= mostBytes || this.#kept.size === 1) break;
      bytes -= each.bytes;
      this.#kept.delete(run);
    }
    return columns;
  }

  clear(): void {
    this.#kept.clear();
  }
}
