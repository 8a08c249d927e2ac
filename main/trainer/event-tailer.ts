/**
 * Reads events.jsonl while it grows: whole lines only, from a byte offset that the caller keeps. It polls, since the file may lie on a network disk
 * whose changes nobody announces, and since it is written by a process that must not wait for us.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isTerminal, parseEvent, type RunEvent } from '../contract/events.ts';
import { fileError } from '../io/atomic-file.ts';

export interface EventBatch {
  events: RunEvent[];
  /** Lines that are no event we know. */
  unknown: number;
  /** Where the next read starts: the end of the last whole line. */
  offset: number;
}

const chunkBytes = 4 << 20;
/** A line longer than this is not waited for in memory for ever. */
const longestLineBytes = 256 << 20;
/** What a network disk says in a bad moment, and what an events file that is not there yet says. */
const passing = new Set(['ENOENT', 'EAGAIN', 'EINTR', 'EIO', 'ESTALE', 'ETIMEDOUT', 'EBUSY', 'ENETDOWN', 'EHOSTDOWN']);

function code(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/**
 * The whole lines behind `offset`, `atMostBytes` at most a call unless one line is longer (an unchanged offset means: nothing new). A torn last line waits for its end; a fault
 * that may pass (no file yet, a network disk) reads as nothing new. Throws AppError for faults that do not pass.
 */
export function readEvents(file: string, offset: number, atMostBytes = chunkBytes): EventBatch {
  const nothing: EventBatch = { events: [], unknown: 0, offset };
  let handle: number;
  try {
    handle = openSync(file, 'r');
  } catch (error) {
    if (passing.has(code(error))) return nothing;
    throw fileError(error, 'read', file);
  }
  try {
    const available = fstatSync(handle).size - offset;
    if (available <= 0) return nothing;
    for (let length = atMostBytes; ; length *= 2) {
      const wanted = Math.min(length, available);
      const buffer = Buffer.allocUnsafe(wanted);
      let filled = 0;
      while (filled < wanted) {
        const count = readSync(handle, buffer, filled, wanted - filled, offset + filled);
        if (count === 0) break;
        filled += count;
      }
      const end = buffer.subarray(0, filled).lastIndexOf(0x0a) + 1;
      if (end > 0) return parseLines(buffer.subarray(0, end), offset);
      if (filled >= available || filled < wanted || length >= longestLineBytes) return nothing;
    }
  } catch (error) {
    if (passing.has(code(error))) return nothing;
    throw fileError(error, 'read', file);
  } finally {
    closeSync(handle);
  }
}

/** `bytes` end with a line break. Split before decoding, so that no character is cut. */
function parseLines(bytes: Buffer, offset: number): EventBatch {
  const events: RunEvent[] = [];
  let unknown = 0;
  for (const line of bytes.toString('utf8').split('\n')) {
    if (line.trim() === '') continue;
    const event = parseEvent(line);
    if (event) events.push(event);
    else unknown += 1;
  }
  return { events, unknown, offset: offset + bytes.length };
}

/** Everything up to the end of the file as it is now, batch by batch. */
export function* readAllEvents(file: string, offset = 0): Generator<EventBatch> {
  for (let at = offset; ;) {
    const batch = readEvents(file, at);
    if (batch.offset === at) return;
    at = batch.offset;
    yield batch;
  }
}

export interface FollowOptions {
  offset?: number;
  pollMs?: number;
  signal?: AbortSignal;
  /** Asked when nothing new is there; true ends the following after one more read. Without it, a terminal event ends it. */
  over?: () => boolean;
}

/** Batches as they come. Ends after a terminal event that nothing follows, when `over` says so, or when `signal` is given. */
export async function* followEvents(file: string, options: FollowOptions = {}): AsyncGenerator<EventBatch> {
  const { pollMs = 100, signal, over } = options;
  let offset = options.offset ?? 0;
  let ended = false;
  for (let last = false; !signal?.aborted;) {
    const batch = readEvents(file, offset);
    if (batch.offset !== offset) {
      offset = batch.offset;
      for (const event of batch.events) ended = isTerminal(event);
      yield batch;
      continue;
    }
    if (last || (ended && !over)) return;
    last = over?.() ?? false;
    if (!last) await sleep(pollMs, undefined, signal ? { signal } : {}).catch(() => undefined);
  }
}
