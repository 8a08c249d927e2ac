/** The last two pools, read once for all who wait for one. Reading goes on while anybody waits, and stops when the last has cancelled. */
import { AppError } from '../../contract/errors.ts';
import { readPool, type PoolProgress } from '../../datasets/read-pool.ts';
import { OpenedPool } from './opened-pool.ts';

const kept = 2;

export interface PoolSource {
  address: string;
  folders: readonly string[];
  cacheFolder: string;
}

interface Waiter {
  onProgress?: (progress: PoolProgress) => void;
  signal: AbortSignal;
}

interface Reading {
  pool: Promise<OpenedPool>;
  controller: AbortController;
  waiting: Set<Waiter>;
}

export class OpenedPools {
  readonly #readings = new Map<string, Reading>();

  /** Reads the files again (what is unchanged is recalled), and replaces what was there once that is done. Throws AppError. */
  refresh(source: PoolSource, waiter: Waiter): Promise<OpenedPool> {
    const known = this.#readings.get(source.address);
    // One that is being read just now is new enough.
    if (known && known.waiting.size > 0) return this.#wait(known, waiter);
    return this.#wait(this.#start(source), waiter);
  }

  /** As it was read last, else read now. Throws AppError. */
  get(source: PoolSource, waiter: Waiter): Promise<OpenedPool> {
    const known = this.#readings.get(source.address);
    if (known) this.#use(source.address, known);
    return this.#wait(known ?? this.#start(source), waiter);
  }

  #start(source: PoolSource): Reading {
    const controller = new AbortController();
    const waiting = new Set<Waiter>();
    const pool = readPool([...source.folders], {
      cacheFolder: source.cacheFolder,
      signal: controller.signal,
      onProgress: (progress) => {
        for (const { onProgress } of waiting) onProgress?.(progress);
      },
    }).then((read) => new OpenedPool(read));
    const reading: Reading = { pool, controller, waiting };
    pool.catch(() => {
      if (this.#readings.get(source.address) === reading) this.#readings.delete(source.address);
    });
    this.#use(source.address, reading);
    return reading;
  }

  #use(address: string, reading: Reading): void {
    this.#readings.delete(address);
    this.#readings.set(address, reading);
    for (const oldest of this.#readings.keys()) {
      if (this.#readings.size <= kept) break;
      this.#readings.delete(oldest);
    }
  }

  async #wait(reading: Reading, waiter: Waiter): Promise<OpenedPool> {
    const { waiting, controller, pool } = reading;
    waiting.add(waiter);
    let cancel: (() => void) | undefined;
    const cancelled = new Promise<never>((_, reject) => {
      cancel = (): void => {
        waiting.delete(waiter);
        if (waiting.size === 0) controller.abort();
        reject(new AppError('cancelled', 'reading the rows was cancelled'));
      };
      waiter.signal.addEventListener('abort', cancel, { once: true });
    });
    try {
      return await Promise.race([pool, cancelled]);
    } finally {
      waiting.delete(waiter);
      if (cancel) waiter.signal.removeEventListener('abort', cancel);
    }
  }
}
