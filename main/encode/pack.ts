/**
 * Encoded examples as one file, field by field as docs/formats/encoded-dataset.md describes it, and back: the index over a folder of such files, and single
 * examples for inspection.
 */
import path from 'node:path';
import { z } from 'zod';
import { AppError } from '../contract/errors.ts';
import type { EncodedRow, FallbackReason, PoolRow } from '../contract/pool.ts';
import { rowName } from '../datasets/read-row.ts';
import { targetFieldNames } from '../recipes/webmix/target-fields.ts';
import type { EncodedExample } from './encode-example.ts';
import type { Processor } from './processor.ts';
import { SafetensorsFile, writeSafetensors } from './safetensors.ts';
import type { Tensor } from './safetensors.ts';

/** A pack is written when either is reached: small enough to lose little when a process is killed, large enough that a big pool has dozens, not thousands. */
const maximumRows = 2000;
const maximumBytes = 60_000_000;

/** Collects examples until they are written. */
export class PackBuilder {
  readonly #processor: Processor;
  readonly #rows: { row: PoolRow; example: EncodedExample }[] = [];
  #bytes = 0;

  constructor(processor: Processor) {
    this.#processor = processor;
  }

  get isEmpty(): boolean {
    return this.#rows.length === 0;
  }

  get isFull(): boolean {
    return this.#rows.length >= maximumRows || this.#bytes >= maximumBytes;
  }

  add(row: PoolRow, example: EncodedExample): void {
    this.#rows.push({ row, example });
    this.#bytes += example.ids.byteLength + example.targetIds.length * 10 + row.images.length * 200 + 200;
  }

  /** Writes all examples to `file` (whole or not at all; throws AppError) and starts anew. */
  write(file: string): void {
    const rows = this.#rows.splice(0);
    this.#bytes = 0;
    const examples = rows.map(({ example }) => example);
    const images = rows.flatMap(({ row }) => row.images);
    const names = textTensors(
      'row.name',
      rows.map(({ row }) => rowName(row)),
    );
    const paths = textTensors(
      'image.path',
      images.map((image) => image.path),
    );
    const count = rows.length;
    const tensors: Tensor[] = [
      ...ragged(
        'ids',
        examples.map(({ ids }) => ids),
      ),
      int32(
        'target.positions',
        examples.map(({ targetPositions }) => targetPositions),
      ),
      int32(
        'target.ids',
        examples.map(({ targetIds }) => targetIds),
      ),
      offsets(
        'target.offsets',
        examples.map(({ targetIds }) => targetIds.length),
      ),
      bytes(
        'column.action',
        examples.map(({ action }) => action),
      ),
      bytes(
        'column.field',
        examples.map(({ field }) => field),
      ),
      offsets(
        'image.offsets',
        rows.map(({ row }) => row.images.length),
      ),
      int32(
        'image.grid',
        examples.flatMap(({ grids }) => grids.map((grid) => Int32Array.from(grid))),
        3,
      ),
      int32(
        'image.size',
        images.map(({ height, width }) => Int32Array.of(height, width)),
        2,
      ),
      {
        name: 'image.bytes',
        dtype: 'I64',
        shape: [images.length],
        data: BigInt64Array.from(images, (image) => BigInt(image.bytes)),
      },
      bytes(
        'image.sha256',
        images.map(({ sha256 }) => Buffer.from(sha256, 'hex')),
        32,
      ),
      ...paths,
      bytes(
        'row.key',
        rows.map(({ row }) => Buffer.from(row.key, 'hex')),
        32,
      ),
      ...names,
      {
        name: 'row.fallback',
        dtype: 'U8',
        shape: [count],
        data: Uint8Array.from(examples, ({ fallback }) => fallback),
      },
    ];
    const about = {
      format: 'encoded-dataset',
      version: 1,
      rows: count,
      processor: describeProcessor(this.#processor),
      fields: targetFieldNames,
    };
    writeSafetensors(file, tensors, { whetstone: JSON.stringify(about) });
  }
}

/** What the trainer has to agree with. */
export function describeProcessor({ id, imageTokenId, vocabSize, image }: Processor): Record<string, unknown> {
  const { patch, temporalPatch, merge, mean, std, rescale } = image;
  return {
    id,
    image_token: imageTokenId,
    vocab: vocabSize,
    image: { patch, temporal_patch: temporalPatch, merge, mean, std, rescale },
  };
}

function concat<Array extends Int32Array | Uint8Array>(result: Array, parts: readonly Array[]): Array {
  let at = 0;
  for (const part of parts) {
    result.set(part, at);
    at += part.length;
  }
  return result;
}

const total = (parts: readonly { length: number }[]): number => parts.reduce((sum, { length }) => sum + length, 0);

/** With `width`, a matrix of that many columns. */
function int32(name: string, parts: readonly Int32Array[], width?: number): Tensor {
  const data = concat(new Int32Array(total(parts)), parts);
  return { name, dtype: 'I32', shape: width === undefined ? [data.length] : [data.length / width, width], data };
}

function bytes(name: string, parts: readonly Uint8Array[], width?: number): Tensor {
  const data = concat(new Uint8Array(total(parts)), parts);
  return { name, dtype: 'U8', shape: width === undefined ? [data.length] : [data.length / width, width], data };
}

function offsets(name: string, lengths: readonly number[]): Tensor {
  const data = new BigInt64Array(lengths.length + 1);
  let sum = 0;
  lengths.forEach((length, index) => {
    sum += length;
    data[index + 1] = BigInt(sum);
  });
  return { name, dtype: 'I64', shape: [data.length], data };
}

function ragged(name: string, parts: readonly Int32Array[]): Tensor[] {
  return [
    int32(name, parts),
    offsets(
      `${name}.offsets`,
      parts.map(({ length }) => length),
    ),
  ];
}

function textTensors(name: string, texts: readonly string[]): Tensor[] {
  const parts = texts.map((text) => Buffer.from(text));
  return [
    bytes(name, parts),
    offsets(
      `${name}.offsets`,
      parts.map(({ length }) => length),
    ),
  ];
}

export const packSchema = z.object({
  format: z.literal('encoded-dataset'),
  version: z.literal(1),
  rows: z.int().nonnegative(),
  processor: z.object({
    id: z.string(),
    image_token: z.int().nullable(),
    vocab: z.int().positive(),
    image: z
      .object({
        patch: z.int(),
        temporal_patch: z.int(),
        merge: z.int(),
        mean: z.array(z.number()),
        std: z.array(z.number()),
        rescale: z.number(),
      })
      .nullable(),
  }),
  fields: z.array(z.string()).optional(),
});
export type PackAbout = z.infer<typeof packSchema>;

/** Opens an encoded dataset, ours or another's. Throws AppError. Close it. */
export async function openPack(file: string): Promise<{ tensors: SafetensorsFile; about: PackAbout }> {
  const tensors = await SafetensorsFile.open(file);
  try {
    const about = packSchema.safeParse(JSON.parse(tensors.metadata['whetstone'] ?? 'null'));
    if (!about.success)
      throw new AppError(
        'dataset-format',
        `${file} is not an encoded dataset of version 1`,
        'docs/formats/encoded-dataset.md describes it.',
      );
    return { tensors, about: about.data };
  } catch (error) {
    await tensors.close();
    if (error instanceof SyntaxError)
      throw new AppError('dataset-format', `${file}: its metadata is not JSON`, undefined, { cause: error });
    throw error;
  }
}

/** As plain numbers; checks that they ascend from 0 to `last`, where that is known. */
export async function readOffsets(
  tensors: SafetensorsFile,
  name: string,
  rows: number,
  last?: number,
): Promise<Float64Array> {
  const raw = await tensors.read(name, 'I64');
  const values = Float64Array.from(raw, Number);
  const ascends = values.every((value, index) => value >= (index === 0 ? 0 : (values[index - 1] ?? 0)));
  if (values.length === rows + 1 && values[0] === 0 && ascends && (last === undefined || values[rows] === last))
    return values;
  throw new AppError(
    'dataset-format',
    `${tensors.path}: ${name} does not ascend from 0 to the length`,
    'Remove the file; it is encoded again.',
  );
}

const fallbackReasons: readonly (FallbackReason | null)[] = [null, 'no-action', 'length-differs'];

/** Rows of one pack by key. Reads lengths, keys and the action column only: some 300 kB of a pack of 50 MB. */
export async function readPackIndex(file: string, processorId: string): Promise<[key: string, row: EncodedRow][]> {
  const { tensors, about } = await openPack(file);
  try {
    if (about.processor.id !== processorId) {
      throw new AppError(
        'dataset-processor',
        `${file} was encoded with another processor`,
        'Remove the file; it is encoded again.',
      );
    }
    const rows = about.rows;
    const [keys, ids, targets, imageOffsets, grid, action, fallback] = await Promise.all([
      tensors.read('row.key', 'U8'),
      readOffsets(tensors, 'ids.offsets', rows, tensors.shape('ids')[0]),
      readOffsets(tensors, 'target.offsets', rows, tensors.shape('target.ids')[0]),
      readOffsets(tensors, 'image.offsets', rows, tensors.shape('image.grid')[0]),
      tensors.read('image.grid', 'I32'),
      tensors.read('column.action', 'U8'),
      tensors.read('row.fallback', 'U8'),
    ]);
    const hex = Buffer.from(keys.buffer, keys.byteOffset, keys.byteLength).toString('hex');
    const area = (about.processor.image?.merge ?? 1) ** 2;
    const at = (values: ArrayLike<number>, index: number): number => values[index] ?? 0;
    return Array.from({ length: rows }, (_, row) => {
      let imageTokens = 0;
      for (let image = at(imageOffsets, row); image < at(imageOffsets, row + 1); image++) {
        imageTokens += (at(grid, 3 * image) * at(grid, 3 * image + 1) * at(grid, 3 * image + 2)) / area;
      }
      let actionTargets = 0;
      for (let target = at(targets, row); target < at(targets, row + 1); target++) actionTargets += at(action, target);
      const encoded: EncodedRow = {
        file,
        row,
        tokens: at(ids, row + 1) - at(ids, row),
        imageTokens,
        targets: at(targets, row + 1) - at(targets, row),
        actionTargets,
        fallback: fallbackReasons[at(fallback, row)] ?? null,
      };
      return [hex.slice(64 * row, 64 * row + 64), encoded];
    });
  } finally {
    await tensors.close();
  }
}

/** Where packs of a processor lie in the cache. */
export function packFolder(cacheFolder: string, processorId: string): string {
  return path.join(path.resolve(cacheFolder), 'encoded', processorId);
}
