/** Long requests that report progress and can be cancelled, by the name that the window gave them. */
import { AppError } from '../contract/errors.ts';
import type { PushSink } from '../contract/window/pushes.ts';
import type { CallHooks } from '../threads/calls.ts';

export class Jobs {
  readonly #push: PushSink;
  readonly #running = new Map<string, AbortController>();

  constructor(push: PushSink) {
    this.#push = push;
  }

  /** Runs `work` under the name `job`. A second job of the same name cancels the first: the window has asked anew. */
  async run<Answer>(job: string, work: (hooks: Required<CallHooks>) => Promise<Answer>): Promise<Answer> {
    this.cancel(job);
    const controller = new AbortController();
    this.#running.set(job, controller);
    try {
      return await work({
        signal: controller.signal,
        onProgress: (stage, done, of) => {
          if (!controller.signal.aborted) this.#push('job.progress', { job, stage, done, of });
        },
      });
    } finally {
      if (this.#running.get(job) === controller) this.#running.delete(job);
    }
  }

  /** False: there is no such job (any more). */
  cancel(job: string): boolean {
    const controller = this.#running.get(job);
    controller?.abort(new AppError('cancelled', 'cancelled'));
    this.#running.delete(job);
    return controller !== undefined;
  }

  cancelAll(): void {
    for (const job of [...this.#running.keys()]) this.cancel(job);
  }
}
