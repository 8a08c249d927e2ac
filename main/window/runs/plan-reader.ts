/** Reads plans without holding up the process: small ones right here, which takes milliseconds, large ones in a thread. Facts that were asked for last are kept. */
import { stat } from 'node:fs/promises';
import { CallThread } from '../../threads/calls.ts';
import { threadEntry } from '../../threads/entry.ts';
import type { RegisteredPlan } from '../../trainer/sync.ts';
import { planFile } from '../../trainer/run-folder.ts';
import type { PlanFacts } from './plan-facts.ts';
import { planFunctions, type PlanFunctions } from './plan-functions.ts';

/** Bytes of plan.json up to which it is read here: about 30 ms of work, checked. */
const smallBytes = 256 << 10;
const mostKept = 24;

export class PlanReader {
  readonly #thread = new CallThread<PlanFunctions>(() => threadEntry('plans'));
  readonly #kept = new Map<string, { stamp: string; facts: Promise<PlanFacts | undefined> }>();
  readonly #smallBytes: number;

  constructor(small = smallBytes) {
    this.#smallBytes = small;
  }

  /** For the history. Throws AppError for a plan that cannot be read, or is none. */
  async registered(folder: string): Promise<RegisteredPlan> {
    const { size } = await stat(planFile(folder)).catch(() => ({ size: 0 }));
    return size <= this.#smallBytes
      ? planFunctions.readRegisteredPlan(folder)
      : this.#thread.call('readRegisteredPlan', folder);
  }

  /** undefined: there is no plan (any more), or none that can be read. `failed`: ordinals that names are wanted for. */
  async facts(folder: string, failed: readonly number[]): Promise<PlanFacts | undefined> {
    const file = await stat(planFile(folder)).catch(() => undefined);
    if (!file) return undefined;
    const stamp = `${file.mtimeMs} ${file.size} ${failed.join(',')}`;
    const kept = this.#kept.get(folder);
    const facts = kept?.stamp === stamp ? kept.facts : this.#read(folder, failed, file.size).catch(() => undefined);
    this.#kept.delete(folder);
    this.#kept.set(folder, { stamp, facts });
    const oldest = this.#kept.keys().next();
    if (this.#kept.size > mostKept && !oldest.done) this.#kept.delete(oldest.value);
    return facts;
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  async #read(folder: string, failed: readonly number[], size: number): Promise<PlanFacts> {
    const wish = { folder, failed };
    return size <= this.#smallBytes ? planFunctions.readPlanFacts(wish) : this.#thread.call('readPlanFacts', wish);
  }
}
