/** Names, types and shapes of the tensors in a safetensors file, from its header alone: a few kilobytes of a file of gigabytes. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { AppError } from '../contract/errors.ts';
import { fileError } from './atomic-file.ts';

export interface TensorEntry {
  /** As the format writes it: F32, BF16, ... */
  dtype: string;
  shape: readonly number[];
}

const largestHeader = 256 << 20;

/** By tensor name, in the file's order. Throws AppError: file faults, `safetensors-broken`. */
export function readSafetensorsHeader(file: string): Map<string, TensorEntry> {
  const broken = (why: string): AppError =>
    new AppError('safetensors-broken', `${file} cannot be used: ${why}`, 'It was cut off or is of another kind.');
  let handle: number;
  try {
    handle = openSync(file, 'r');
  } catch (error) {
    throw fileError(error, 'read', file);
  }
  try {
    const { size } = fstatSync(handle);
    const prefix = Buffer.alloc(8);
    if (size < 8 || readSync(handle, prefix, 0, 8, 0) < 8) throw broken(`it has ${size} bytes`);
    const length = Number(prefix.readBigUInt64LE());
    if (length > size - 8 || length > largestHeader) throw broken('its header is longer than the file');
    const header = Buffer.alloc(length);
    if (readSync(handle, header, 0, length, 8) < length) throw broken('its header is cut off');
    let entries: unknown;
    try {
      entries = JSON.parse(header.toString('utf8'));
    } catch {
      throw broken('its header is not JSON');
    }
    if (typeof entries !== 'object' || entries === null) throw broken('its header is not an object');
    const tensors = new Map<string, TensorEntry>();
    for (const [name, entry] of Object.entries(entries as Record<string, Partial<TensorEntry> | null>))
      if (name !== '__metadata__' && typeof entry?.dtype === 'string' && Array.isArray(entry.shape))
        tensors.set(name, { dtype: entry.dtype, shape: entry.shape });
    return tensors;
  } finally {
    closeSync(handle);
  }
}
