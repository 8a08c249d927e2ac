/**
 * Says that runs changed, at most ten times a second however much changes: the first change goes out at once, what follows within a tenth of a second goes out
 * together.
 */
import type { PushSink } from '../../contract/window/pushes.ts';

export class PushGate {
  readonly #push: PushSink;
  readonly #everyMs: number;
  readonly #runs = new Set<string>();
  #list = false;
  #last = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(push: PushSink, everyMs = 100) {
    this.#push = push;
    this.#everyMs = everyMs;
  }

  /** `list`: runs, or faults of the list, came or went. */
  changed(runs: readonly string[], list = false): void {
    for (const run of runs) this.#runs.add(run);
    this.#list ||= list;
    if (this.#timer) return;
    const wait = this.#last + this.#everyMs - performance.now();
    if (wait <= 0) this.#send();
    else this.#timer = setTimeout(() => this.#send(), Math.ceil(wait));
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #send(): void {
    this.#timer = undefined;
    this.#last = performance.now();
    const payload = { runs: [...this.#runs], list: this.#list };
    this.#runs.clear();
    this.#list = false;
    this.#push('runs.changed', payload);
  }
}
