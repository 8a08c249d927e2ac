/**
 * Named calls to a worker thread, with progress and cancelling: what takes seconds of processor time (reading a pool, encoding, a census) must not stop
 * the process that follows runs and answers the window. Faults come back as the AppErrors that they were.
 */
import { parentPort, Worker, type MessagePort } from 'node:worker_threads';
import { AppError } from '../contract/errors.ts';

export interface CallHooks {
  onProgress?: (stage: string, done: number, of: number) => void;
  signal?: AbortSignal;
}

/** What a function in the thread gets beside its input. */
export interface CallContext {
  progress: (stage: string, done: number, of: number) => void;
  signal: AbortSignal;
}

/** Functions of a thread by name. Inputs and answers are copied by structured clone. */
export type ThreadFunctions = Record<string, (input: never, context: CallContext) => unknown>;

type ToThread = { kind: 'call'; id: number; name: string; input: unknown } | { kind: 'cancel'; id: number };
type FromThread =
  | { kind: 'progress'; id: number; stage: string; done: number; of: number }
  | { kind: 'answer'; id: number; value: unknown }
  | { kind: 'fault'; id: number; code: string | null; message: string; hint: string | undefined; stack: string };

/** Inside the thread: answers calls until the thread is ended. Each call gets its own signal. */
export function serveCalls(functions: ThreadFunctions, port: MessagePort | null = parentPort): void {
  if (!port) throw new Error('serveCalls works in a worker thread');
  const send = (message: FromThread): void => port.postMessage(message);
  const running = new Map<number, AbortController>();
  const answer = async ({ id, name, input }: Extract<ToThread, { kind: 'call' }>): Promise<void> => {
    const controller = new AbortController();
    running.set(id, controller);
    let told = 0;
    const progress = (stage: string, done: number, of: number): void => {
      const now = performance.now();
      // Ten a second are enough for a person; the last one always goes.
      if (now - told < 100 && done !== of) return;
      told = now;
      send({ kind: 'progress', id, stage, done, of });
    };
    try {
      const work = functions[name] as ((input: unknown, context: CallContext) => unknown) | undefined;
      if (!work) throw new Error(`the thread has no function ${name}`);
      send({ kind: 'answer', id, value: await work(input, { progress, signal: controller.signal }) });
    } catch (error) {
      const { message, stack } = error instanceof Error ? error : new Error(String(error));
      const known = error instanceof AppError ? error : undefined;
      send({ kind: 'fault', id, code: known?.code ?? null, message, hint: known?.hint, stack: stack ?? message });
    } finally {
      running.delete(id);
    }
  };
  port.on('message', (message: ToThread) => {
    if (message.kind === 'call') void answer(message);
    else running.get(message.id)?.abort(new AppError('cancelled', 'cancelled'));
  });
}

/** A worker thread, started at the first call and again after it died. */
export class CallThread<Functions extends ThreadFunctions> {
  readonly #entry: () => URL;
  #worker: Worker | undefined;
  #next = 1;
  readonly #waiting = new Map<
    number,
    { resolve: (value: unknown) => void; reject: (error: Error) => void; hooks: CallHooks }
  >();

  constructor(entry: () => URL) {
    this.#entry = entry;
  }

  async call<Name extends keyof Functions & string>(
    name: Name,
    input: Parameters<Functions[Name]>[0],
    hooks: CallHooks = {},
  ): Promise<Awaited<ReturnType<Functions[Name]>>> {
    hooks.signal?.throwIfAborted();
    const worker = (this.#worker ??= this.#start());
    const id = this.#next++;
    const cancel = (): void => worker.postMessage({ kind: 'cancel', id } satisfies ToThread);
    hooks.signal?.addEventListener('abort', cancel, { once: true });
    try {
      return (await new Promise<unknown>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject, hooks });
        worker.ref();
        worker.postMessage({ kind: 'call', id, name, input } satisfies ToThread);
      })) as Awaited<ReturnType<Functions[Name]>>;
    } finally {
      hooks.signal?.removeEventListener('abort', cancel);
      this.#waiting.delete(id);
      // An idle thread does not keep the process alive.
      if (this.#waiting.size === 0) worker.unref();
    }
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
    this.#fail(new AppError('cancelled', 'Whetstone is closing'));
  }

  #start(): Worker {
    const worker = new Worker(this.#entry());
    worker.on('message', (message: FromThread) => {
      const call = this.#waiting.get(message.id);
      if (message.kind === 'progress') call?.hooks.onProgress?.(message.stage, message.done, message.of);
      else if (message.kind === 'answer') call?.resolve(message.value);
      else {
        const { code, message: text, hint, stack } = message;
        call?.reject(code === null ? new Error(text, { cause: stack }) : new AppError(code, text, hint));
      }
    });
    const died = (error: Error): void => {
      if (this.#worker === worker) this.#worker = undefined;
      this.#fail(error);
    };
    worker.on('error', died);
    worker.on('exit', (code) => died(new Error(`a working thread ended with code ${code}`)));
    return worker;
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
  }
}
