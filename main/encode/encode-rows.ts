/**
 * Encodes the rows of a pool that are not in the cache yet. The cache is a folder of packs, each complete in itself, and nothing else: no list that two
 * processes could spoil for one another. Two that encode the same rows at once do the work twice and both are right.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError } from '../contract/errors.ts';
import type { BadRow, EncodedRow, PoolRow } from '../contract/pool.ts';
import { compareCodePoints } from '../text/code-points.ts';
import { hintFor } from '../datasets/row-hints.ts';
import { fileError } from '../io/atomic-file.ts';
import { threadEntry } from '../threads/entry.ts';
import { packFolder, readPackIndex } from './pack.ts';
import type { Processor } from './processor.ts';
import { RowEncoder } from './row-encoder.ts';
import type { FromWorker, ToWorker, WorkerSetup } from './worker-messages.ts';

export interface EncodeProgress {
  /** Rows that are encoded, those found in the cache included. */
  done: number;
  of: number;
}

export interface EncodeRowsOptions {
  cacheFolder: string;
  /** Threads; by default one a core and at most 8. With few rows none is started. */
  workers?: number;
  onProgress?: (progress: EncodeProgress) => void;
  /** A pack in the cache that is broken: it is passed over and its rows are encoded again. */
  onWarning?: (message: string) => void;
  signal?: AbortSignal;
}

export interface EncodedRows {
  /** By PoolRow.key. */
  encoded: Map<string, EncodedRow>;
  /** Rows that the template or the placeholders do not allow. They have no entry in `encoded`. */
  bad: BadRow[];
}

/** Handed to a thread at a time: enough for the tokenizer to use its own threads, few enough to divide evenly. */
const batch = 32;
/** Opening a tokenizer takes a third of a second: a thread has to be worth it. */
const rowsPerWorker = 256;
const staleMs = 24 * 3600 * 1000;

/** Throws AppError (a row that changed on disk, a full disk, `cancelled`); packs that are complete by then stay, nothing else does. */
export async function encodeRows(
  rows: readonly PoolRow[],
  processor: Processor,
  options: EncodeRowsOptions,
): Promise<EncodedRows> {
  const folder = packFolder(options.cacheFolder, processor.id);
  const wanted = new Map(rows.map((row) => [row.key, row]));
  const known = existsSync(folder) ? await readIndex(folder, processor.id, options) : new Map<string, EncodedRow>();
  const missing = [...wanted.values()].filter(({ key }) => !known.has(key));
  const found = wanted.size - missing.length;
  options.onProgress?.({ done: found, of: wanted.size });
  if (missing.length === 0) return { encoded: pick(wanted, known), bad: [] };
  makeFolder(folder);
  removeStale(folder);
  const name = randomBytes(8).toString('hex');
  let bad: BadRow[];
  try {
    const count = Math.min(
      options.workers ?? Math.min(os.availableParallelism(), 8),
      Math.ceil(missing.length / rowsPerWorker),
    );
    const report = (done: number): void => options.onProgress?.({ done: found + done, of: wanted.size });
    bad = await (count > 1
      ? encodeInWorkers(missing, processor, folder, name, count, report, options.signal)
      : encodeHere(missing, processor, folder, name, report, options.signal));
  } catch (error) {
    removeTemporary(folder, name);
    throw error;
  }
  const encoded = pick(wanted, await readIndex(folder, processor.id, {}));
  bad.sort((a, b) => compareCodePoints(a.file, b.file) || a.line - b.line);
  return { encoded, bad };
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw fileError(error, 'make the folder for encoded rows', folder);
  }
}

/** For callers that go on without a few: throws AppError with the first faults when there are more than `allowed`. */
export function refuseBadRows(bad: readonly BadRow[], allowed: number): void {
  if (bad.length <= allowed) return;
  const shown = bad.slice(0, 5).map(({ file, line, message }) => `${line > 0 ? `${file}:${line}` : file}: ${message}`);
  const rest = bad.length > shown.length ? `\nand ${bad.length - shown.length} more` : '';
  throw new AppError(
    bad.length === 1 ? (bad[0]?.code ?? 'bad-rows') : 'bad-rows',
    `${bad.length} ${bad.length === 1 ? 'row' : 'rows'} cannot be used${allowed > 0 ? ` (${allowed} allowed)` : ''}:\n${shown.join('\n')}${rest}`,
    `${advice(bad)} Or give --allow-bad ${bad.length} to train without ${bad.length === 1 ? 'it' : 'them'}.`,
  );
}

/** What helps all of them; with faults of several kinds, there is no one thing to say. */
function advice(bad: readonly BadRow[]): string {
  const [first, second] = new Set(bad.map(({ code }) => hintFor(code)));
  return (second === undefined ? first : undefined) ?? (bad.length === 1 ? 'Correct it.' : 'Correct them.');
}

function pick(wanted: ReadonlyMap<string, PoolRow>, known: ReadonlyMap<string, EncodedRow>): Map<string, EncodedRow> {
  const picked = new Map<string, EncodedRow>();
  for (const key of wanted.keys()) {
    const row = known.get(key);
    if (row !== undefined) picked.set(key, row);
  }
  return picked;
}

const packsAtOnce = 32;

/** All rows of all packs. Of rows that two packs hold, the first file by name counts, so that the choice is the same every time. */
async function readIndex(
  folder: string,
  processorId: string,
  options: Pick<EncodeRowsOptions, 'onWarning'>,
): Promise<Map<string, EncodedRow>> {
  const files = readdirSync(folder)
    .filter((file) => /^pack-.*\.safetensors$/.test(file))
    .sort();
  const index = new Map<string, EncodedRow>();
  const read = async (file: string): Promise<[string, EncodedRow][]> => {
    try {
      return await readPackIndex(path.join(folder, file), processorId);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      options.onWarning?.(error.message);
      return [];
    }
  };
  // Some at a time: a cache may hold more packs than a process may have open files.
  for (let first = 0; first < files.length; first += packsAtOnce) {
    const packs = await Promise.all(files.slice(first, first + packsAtOnce).map(read));
    for (const [key, row] of packs.flat()) if (!index.has(key)) index.set(key, row);
  }
  return index;
}

function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw cancelled(signal);
}

function cancelled(signal: AbortSignal): AppError {
  return new AppError('cancelled', 'encoding was cancelled', 'What was finished is kept for next time.', {
    cause: signal.reason,
  });
}

async function encodeHere(
  rows: readonly PoolRow[],
  processor: Processor,
  folder: string,
  name: string,
  report: (done: number) => void,
  signal: AbortSignal | undefined,
): Promise<BadRow[]> {
  const encoder = new RowEncoder(processor, folder, name);
  const bad: BadRow[] = [];
  for (let at = 0; at < rows.length; at += batch) {
    throwIfCancelled(signal);
    bad.push(...(await encoder.encode(rows.slice(at, at + batch))));
    report(Math.min(at + batch, rows.length));
  }
  throwIfCancelled(signal);
  encoder.finish();
  return bad;
}

async function encodeInWorkers(
  rows: readonly PoolRow[],
  processor: Processor,
  folder: string,
  name: string,
  count: number,
  report: (done: number) => void,
  signal: AbortSignal | undefined,
): Promise<BadRow[]> {
  throwIfCancelled(signal);
  const bad: BadRow[] = [];
  let next = 0;
  let done = 0;
  const workers = Array.from({ length: count }, (_, index) => {
    const workerData: WorkerSetup = {
      modelFolder: processor.folder,
      processorId: processor.id,
      folder,
      name: `${name}-${index}`,
    };
    return new Worker(threadEntry('encode'), { workerData });
  });
  const run = (worker: Worker): Promise<void> =>
    new Promise((resolve, reject) => {
      const send = (): void => {
        const part = rows.slice(next, next + batch);
        next += part.length;
        worker.postMessage((part.length > 0 ? { kind: 'encode', rows: part } : { kind: 'finish' }) satisfies ToWorker);
      };
      worker.on('message', (message: FromWorker) => {
        if (message.kind === 'failed') {
          const { code, hint, stack } = message;
          reject(
            code === null ? new Error(message.message, { cause: stack }) : new AppError(code, message.message, hint),
          );
        } else if (message.kind === 'finished') {
          resolve();
        } else {
          bad.push(...message.bad);
          done += message.rows;
          report(done);
          send();
        }
      });
      worker.on('error', reject);
      worker.on('exit', (code) => reject(new Error(`an encoding thread ended with code ${code}`)));
      send();
    });
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => signal && reject(cancelled(signal));
    signal?.addEventListener('abort', stop, { once: true });
  });
  try {
    await Promise.race([Promise.all(workers.map(run)), aborted]);
  } finally {
    if (stop) signal?.removeEventListener('abort', stop);
    // Ends those that are still at work when another failed or the user cancelled; only then is their temporary file certain to stay as it is.
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
  return bad;
}

/** A thread that is ended in the middle of writing leaves its temporary file. */
function removeTemporary(folder: string, name: string): void {
  for (const file of readdirSync(folder))
    if (file.startsWith(`.pack-${name}-`)) rmSync(path.join(folder, file), { force: true });
}

/** Left by processes that were killed. */
function removeStale(folder: string): void {
  for (const file of readdirSync(folder)) {
    if (!/^\.pack-.*\.tmp$/.test(file)) continue;
    const stats = statSync(path.join(folder, file), { throwIfNoEntry: false });
    if (stats && Date.now() - stats.mtimeMs > staleMs) rmSync(path.join(folder, file), { force: true });
  }
}
