/** What the main thread and its encoding workers say to each other. One message is under way to a worker at any time. */
import type { BadRow, PoolRow } from '../contract/pool.ts';

export interface WorkerSetup {
  modelFolder: string;
  processorId: string;
  /** Where packs go, and what they are called. */
  folder: string;
  name: string;
}

export type ToWorker = { kind: 'encode'; rows: readonly PoolRow[] } | { kind: 'finish' };

export type FromWorker =
  | { kind: 'encoded'; rows: number; bad: BadRow[] }
  | { kind: 'finished' }
  | { kind: 'failed'; code: string | null; message: string; hint: string | undefined; stack: string | undefined };
