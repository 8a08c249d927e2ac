/**
 * Safetensors files: a header of JSON, then raw little-endian numbers. Written whole or not at all; read by name and range, so that an index over gigabytes
 * of encoded rows costs a few kilobytes a file.
 */
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { AppError } from '../contract/errors.ts';
import { fileError, writeFileAtomic } from '../io/atomic-file.ts';

export interface TensorArrays {
  U8: Uint8Array;
  I32: Int32Array;
  I64: BigInt64Array;
  F32: Float32Array;
}
export type TensorType = keyof TensorArrays;

export interface Tensor {
  name: string;
  dtype: TensorType;
  shape: readonly number[];
  data: TensorArrays[TensorType];
}

interface Entry {
  dtype: string;
  shape: number[];
  /** Bytes, counted from the end of the header. */
  begin: number;
  end: number;
}

const sizes: Record<string, number> = {
  BOOL: 1,
  U8: 1,
  I8: 1,
  F8_E4M3: 1,
  F8_E5M2: 1,
  I16: 2,
  U16: 2,
  F16: 2,
  BF16: 2,
  I32: 4,
  U32: 4,
  F32: 4,
  I64: 8,
  U64: 8,
  F64: 8,
};
/** The format's own limit. */
const maximumHeader = 100_000_000;

/** Typed arrays are written as they lie in memory, which is right on little-endian machines only; Node has no others that we run on. */
export function writeSafetensors(
  file: string,
  tensors: readonly Tensor[],
  metadata: Readonly<Record<string, string>>,
): void {
  // Wide types first keeps every tensor aligned to its own size, as readers that map the file want it.
  const ordered = tensors.toSorted(
    (a, b) => b.data.BYTES_PER_ELEMENT - a.data.BYTES_PER_ELEMENT || (a.name < b.name ? -1 : 1),
  );
  const header: Record<string, unknown> = { __metadata__: metadata };
  let at = 0;
  for (const { name, dtype, shape, data } of ordered) {
    const count = shape.reduce((product, size) => product * size, 1);
    if (count !== data.length)
      throw new Error(`tensor ${name}: ${data.length} elements do not fill the shape [${shape.join(', ')}]`);
    header[name] = { dtype, shape, data_offsets: [at, at + data.byteLength] };
    at += data.byteLength;
  }
  const text = Buffer.from(JSON.stringify(header));
  const padding = Buffer.alloc((8 - (text.length % 8)) % 8, ' ');
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length + padding.length));
  const bodies = ordered.map(({ data }) => new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  writeFileAtomic(file, length, text, padding, ...bodies);
}

/** An open file. Close it. */
export class SafetensorsFile {
  readonly path: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly #handle: FileHandle;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #bodyAt: number;

  private constructor(
    path: string,
    handle: FileHandle,
    bodyAt: number,
    entries: ReadonlyMap<string, Entry>,
    metadata: Readonly<Record<string, string>>,
  ) {
    this.path = path;
    this.metadata = metadata;
    this.#handle = handle;
    this.#entries = entries;
    this.#bodyAt = bodyAt;
  }

  /** Reads and checks the header. Throws AppError. */
  static async open(path: string): Promise<SafetensorsFile> {
    let handle: FileHandle;
    try {
      handle = await open(path, 'r');
    } catch (error) {
      throw fileError(error, 'read', path);
    }
    try {
      const { size } = await handle.stat();
      if (size < 8) throw broken(path, `it has ${size} bytes`);
      const length = Number((await readBytes(handle, path, 0, 8)).readBigUInt64LE());
      if (length > maximumHeader || length > size - 8) throw broken(path, 'its header is longer than the file');
      const header = parseHeader(path, await readBytes(handle, path, 8, length));
      const { entries, metadata } = checkHeader(path, header, size - 8 - length);
      return new SafetensorsFile(path, handle, 8 + length, entries, metadata);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  names(): string[] {
    return [...this.#entries.keys()];
  }

  dtype(name: string): string {
    return this.#entry(name).dtype;
  }

  shape(name: string): readonly number[] {
    return this.#entry(name).shape;
  }

  /** Elements `from` to `to` (of the flattened tensor; all by default). Throws AppError when the tensor is missing, of another type, or shorter. */
  async read<Type extends TensorType>(name: string, dtype: Type, from = 0, to?: number): Promise<TensorArrays[Type]> {
    const entry = this.#entry(name);
    if (entry.dtype !== dtype) throw broken(this.path, `its tensor ${name} is ${entry.dtype}, not ${dtype}`);
    const width = sizes[dtype] ?? 1;
    const count = (entry.end - entry.begin) / width;
    const last = to ?? count;
    if (from < 0 || from > last || last > count)
      throw broken(this.path, `its tensor ${name} has ${count} elements; ${from} to ${last} were asked for`);
    const bytes = await readBytes(
      this.#handle,
      this.path,
      this.#bodyAt + entry.begin + from * width,
      (last - from) * width,
    );
    return toTypedArray(bytes, dtype);
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  #entry(name: string): Entry {
    const entry = this.#entries.get(name);
    if (entry === undefined) throw broken(this.path, `it has no tensor ${name}`);
    return entry;
  }
}

function broken(path: string, why: string): AppError {
  return new AppError(
    'safetensors-broken',
    `${path} cannot be used: ${why}`,
    'It was cut off or is of another kind: remove it, it is written again.',
  );
}

function parseHeader(path: string, bytes: Buffer): Record<string, unknown> {
  try {
    const header = JSON.parse(bytes.toString('utf8')) as unknown;
    if (typeof header === 'object' && header !== null && !Array.isArray(header))
      return header as Record<string, unknown>;
  } catch {
    // Told below.
  }
  throw broken(path, 'its header is not a JSON object');
}

function checkHeader(
  path: string,
  header: Record<string, unknown>,
  bodyLength: number,
): { entries: Map<string, Entry>; metadata: Record<string, string> } {
  const entries = new Map<string, Entry>();
  let metadata: Record<string, string> = {};
  for (const [name, value] of Object.entries(header)) {
    if (name === '__metadata__') metadata = value as Record<string, string>;
    else entries.set(name, checkEntry(path, name, value));
  }
  // Together they have to cover the body without gap or overlap: the format's own rule, and what shows a file that was cut off.
  let at = 0;
  for (const [name, { begin, end }] of [...entries].sort(([, a], [, b]) => a.begin - b.begin || a.end - b.end)) {
    if (begin !== at) throw broken(path, `its tensor ${name} begins at byte ${begin} instead of ${at}`);
    at = end;
  }
  if (at !== bodyLength) throw broken(path, `its tensors take ${at} bytes and the file holds ${bodyLength}`);
  return { entries, metadata };
}

function checkEntry(path: string, name: string, value: unknown): Entry {
  const {
    dtype,
    shape,
    data_offsets: offsets,
  } = (value ?? {}) as { dtype?: unknown; shape?: unknown; data_offsets?: unknown };
  const isCount = (count: unknown): count is number => Number.isSafeInteger(count) && (count as number) >= 0;
  if (
    typeof dtype !== 'string' ||
    !Array.isArray(shape) ||
    !shape.every(isCount) ||
    !Array.isArray(offsets) ||
    !offsets.every(isCount)
  ) {
    throw broken(path, `the header entry of its tensor ${name} is malformed`);
  }
  const [begin = 0, end = 0] = offsets;
  const width = sizes[dtype];
  const bytes = shape.reduce((product, size) => product * size, width ?? 0);
  if (width === undefined) throw broken(path, `its tensor ${name} has the unknown type ${dtype}`);
  if (offsets.length !== 2 || end - begin !== bytes)
    throw broken(path, `its tensor ${name} does not have the size of its shape`);
  return { dtype, shape, begin, end };
}

function toTypedArray<Type extends TensorType>(bytes: Buffer, dtype: Type): TensorArrays[Type] {
  const { buffer, byteOffset, byteLength } = bytes;
  const make: { [Key in TensorType]: () => TensorArrays[Key] } = {
    U8: () => new Uint8Array(buffer, byteOffset, byteLength),
    I32: () => new Int32Array(buffer, byteOffset, byteLength / 4),
    I64: () => new BigInt64Array(buffer, byteOffset, byteLength / 8),
    F32: () => new Float32Array(buffer, byteOffset, byteLength / 4),
  };
  return make[dtype]();
}

/** Into memory of its own: pooled buffers are not aligned for wider types. */
async function readBytes(handle: FileHandle, path: string, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.from(new ArrayBuffer(length));
  for (let have = 0; have < length;) {
    const { bytesRead } = await handle.read(bytes, have, length - have, at + have);
    if (bytesRead === 0) throw broken(path, 'it became shorter while it was read');
    have += bytesRead;
  }
  return bytes;
}
