/** Optimizer steps as columns of numbers that grow while a run is at work. One table holds the steps that count; every replaced tail has its own. */
import type { Metric } from '../../contract/window/runs.ts';
import { eachLoss } from '../../store/losses.ts';
import type { StepRecord } from '../../store/steps.ts';

export class Growing {
  #values = new Float64Array(64);
  length = 0;

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new Float64Array(this.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.length] = value;
    this.length += 1;
  }

  /** Those that were pushed; a view. */
  get values(): Float64Array {
    return this.#values.subarray(0, this.length);
  }

  get last(): number | undefined {
    return this.length === 0 ? undefined : this.#values[this.length - 1];
  }

  get bytes(): number {
    return this.#values.byteLength;
  }
}

/** Values of a metric, and the position in the table of the step of each. Steps without a value are not in it; NaN is a value. */
class Column {
  readonly at = new Growing();
  readonly value = new Growing();

  push(at: number, value: number): void {
    this.at.push(at);
    this.value.push(value);
  }
}

/** What came before the table's first step. */
export interface Before {
  /** -1: nothing did. */
  step: number;
  rows: number;
  tokens: number;
}

export type Axis = 'rows' | 'steps' | 'tokens' | 'time';

export class StepTable {
  readonly step = new Growing();
  readonly rows = new Growing();
  /** All tokens up to the step's end. */
  readonly tokens = new Growing();
  /** Seconds at work up to the step's end, the time between segments left out. */
  readonly time = new Growing();
  readonly #metrics = new Map<Metric, Column>();
  readonly #before: Before;

  constructor(before: Before = { step: -1, rows: 0, tokens: 0 }) {
    this.#before = before;
  }

  get length(): number {
    return this.step.length;
  }

  get bytes(): number {
    let sum = this.step.bytes * 4;
    for (const { at, value } of this.#metrics.values()) sum += at.bytes + value.bytes;
    return sum;
  }

  /** `time`: seconds at work up to the step's end; `roles`: names of the plan's roles. */
  push(record: StepRecord, time: number, roles: readonly string[]): void {
    const at = this.length;
    const rows = record.rows - (this.rows.last ?? this.#before.rows);
    const follows = record.step === (this.step.last ?? this.#before.step) + 1;
    this.step.push(record.step);
    this.rows.push(record.rows);
    this.tokens.push((this.tokens.last ?? this.#before.tokens) + record.tokens);
    // A clock that was set back must not fold the curve.
    this.time.push(Math.max(time, this.time.last ?? 0));
    this.#column('grad_norm').push(at, record.gradNorm);
    this.#column('lr').push(at, record.lr);
    this.#column('gpu_gib').push(at, record.gpuGib);
    this.#column('tokens').push(at, record.tokens);
    // Of no measurable time there is no rate; behind a step whose line was damaged the rows of both would count for one.
    if (follows && (record.seconds > 0 || Number.isNaN(record.seconds)))
      this.#column('rows_per_s').push(at, rows / record.seconds);
    eachLoss(record.losses, (role, mean) => {
      const name = roles[role];
      if (name !== undefined) this.#column(`loss:${name}`).push(at, mean);
    });
  }

  /** undefined: no step has a value of it. */
  metric(metric: Metric): { at: Float64Array; value: Float64Array } | undefined {
    const column = this.#metrics.get(metric);
    return column && { at: column.at.values, value: column.value.values };
  }

  axis(axis: Axis): Float64Array {
    if (axis === 'steps') return this.step.values;
    return this[axis].values;
  }

  /** How many steps are below `step`. */
  below(step: number): number {
    return lowerBound(this.step.values, step);
  }

  #column(metric: Metric): Column {
    let column = this.#metrics.get(metric);
    if (!column) this.#metrics.set(metric, (column = new Column()));
    return column;
  }
}

/** Position of the first of the ascending `values` that is not below `wanted`. */
export function lowerBound(values: Float64Array, wanted: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
