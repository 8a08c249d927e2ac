/**
 * Pushes that a slow window could not take yet. They only say that something changed, so any number of them comes down to one of each kind that says all
 * of it: nothing is lost and nothing piles up.
 */
import type { PushName } from '../contract/window/names.ts';
import type { Pushes } from '../contract/window/pushes.ts';

export type AnyPush = { [Name in PushName]: { push: Name; payload: Pushes[Name] } }[PushName];

export class PendingPushes {
  #runs: { ids: Set<string>; list: boolean } | null = null;
  readonly #jobs = new Map<string, Pushes['job.progress']>();

  add(pushed: AnyPush): void {
    switch (pushed.push) {
      case 'runs.changed':
        this.#runs ??= { ids: new Set(), list: false };
        for (const id of pushed.payload.runs) this.#runs.ids.add(id);
        this.#runs.list ||= pushed.payload.list;
        break;
      case 'job.progress':
        this.#jobs.set(pushed.payload.job, pushed.payload);
        break;
    }
  }

  /** All of it, and forgets it. */
  take(): AnyPush[] {
    const all: AnyPush[] = [...this.#jobs.values()].map((payload) => ({ push: 'job.progress', payload }));
    if (this.#runs)
      all.unshift({ push: 'runs.changed', payload: { runs: [...this.#runs.ids], list: this.#runs.list } });
    this.#runs = null;
    this.#jobs.clear();
    return all;
  }
}
