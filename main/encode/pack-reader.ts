/** One example out of an encoded dataset, for inspection. Works for datasets that others wrote, too. */
import path from 'node:path';
import { AppError } from '../contract/errors.ts';
import type { EncodedRow, PoolImage } from '../contract/pool.ts';
import type { Grid } from './image-settings.ts';
import { openPack, readOffsets } from './pack.ts';
import type { SafetensorsFile } from './safetensors.ts';

export interface ExampleImage extends PoolImage {
  /** (t, h, w) in patches. */
  grid: Grid;
}

export interface Example {
  /** `episode-12/rows.jsonl:3`, where the dataset has names. */
  name: string | null;
  /** Hex, where the dataset has keys. */
  key: string | null;
  processorId: string;
  imageToken: number | null;
  /** Token ids, [T]. */
  ids: Int32Array;
  /** [K] */
  targetPositions: Int32Array;
  /** [K] */
  targetIds: Int32Array;
  /** By name, each [K]. */
  columns: Record<string, Uint8Array | Float32Array>;
  /** Names of the values of the column `field`. */
  fields: readonly string[];
  images: ExampleImage[];
}

/** Throws AppError when the file is missing, broken, or has no such row. */
export async function readExample(encoded: Pick<EncodedRow, 'file' | 'row'>): Promise<Example> {
  const { tensors, about } = await openPack(encoded.file);
  try {
    const { row } = encoded;
    if (!Number.isInteger(row) || row < 0 || row >= about.rows) {
      throw new AppError(
        'dataset-row',
        `${encoded.file} has ${about.rows} rows; row ${row} was asked for`,
        'Rows are counted from 0.',
      );
    }
    const [from, to] = await readRange(tensors, 'ids.offsets', row);
    const [firstTarget, lastTarget] = await readRange(tensors, 'target.offsets', row);
    const columns: Example['columns'] = {};
    for (const name of tensors.names().filter((tensor) => tensor.startsWith('column.'))) {
      const dtype = tensors.dtype(name) === 'F32' ? 'F32' : 'U8';
      columns[name.slice('column.'.length)] = await tensors.read(name, dtype, firstTarget, lastTarget);
    }
    return {
      name: tensors.has('row.name') ? await readText(tensors, 'row.name', row) : null,
      key: tensors.has('row.key') ? toHex(await tensors.read('row.key', 'U8', 32 * row, 32 * row + 32)) : null,
      processorId: about.processor.id,
      imageToken: about.processor.image_token,
      ids: await tensors.read('ids', 'I32', from, to),
      targetPositions: await tensors.read('target.positions', 'I32', firstTarget, lastTarget),
      targetIds: await tensors.read('target.ids', 'I32', firstTarget, lastTarget),
      columns,
      fields: about.fields ?? [],
      images: await readImages(tensors, await readRange(tensors, 'image.offsets', row)),
    };
  } finally {
    await tensors.close();
  }
}

/** Names of all rows of a dataset, or null where it has none. */
export async function readRowNames(file: string): Promise<string[] | null> {
  const { tensors, about } = await openPack(file);
  try {
    if (!tensors.has('row.name')) return null;
    const offsets = await readOffsets(tensors, 'row.name.offsets', about.rows);
    const text = Buffer.from(await tensors.read('row.name', 'U8'));
    return Array.from({ length: about.rows }, (_, row) => text.toString('utf8', offsets[row], offsets[row + 1]));
  } finally {
    await tensors.close();
  }
}

async function readRange(tensors: SafetensorsFile, name: string, index: number): Promise<[number, number]> {
  const [from = 0n, to = 0n] = await tensors.read(name, 'I64', index, index + 2);
  return [Number(from), Number(to)];
}

async function readText(tensors: SafetensorsFile, name: string, index: number): Promise<string> {
  const [from, to] = await readRange(tensors, `${name}.offsets`, index);
  return Buffer.from(await tensors.read(name, 'U8', from, to)).toString('utf8');
}

async function readImages(tensors: SafetensorsFile, [first, last]: [number, number]): Promise<ExampleImage[]> {
  const images: ExampleImage[] = [];
  for (let image = first; image < last; image++) {
    const [t = 0, h = 0, w = 0] = await tensors.read('image.grid', 'I32', 3 * image, 3 * image + 3);
    const [height = 0, width = 0] = await tensors.read('image.size', 'I32', 2 * image, 2 * image + 2);
    const [bytes = 0n] = await tensors.read('image.bytes', 'I64', image, image + 1);
    images.push({
      path: path.resolve(path.dirname(tensors.path), await readText(tensors, 'image.path', image)),
      bytes: Number(bytes),
      sha256: toHex(await tensors.read('image.sha256', 'U8', 32 * image, 32 * image + 32)),
      width,
      height,
      grid: [t, h, w],
    });
  }
  return images;
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
