/** Reads a row's text again, by its place in the file, and makes sure that it is still the row that the pool was read with. */
import { open } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../contract/errors.ts';
import type { PoolRow } from '../contract/pool.ts';
import { errorCode, messageOf, resolveImage } from './episode-images.ts';
import { decodeLine } from './read-episode.ts';
import { parseRow, rowKey } from './row.ts';
import type { RawRow } from './row.ts';
import { RowFault } from './row-fault.ts';

/** How a row is called in messages and in the encoded dataset: `episode-12/rows.jsonl:3`. */
export function rowName(row: Pick<PoolRow, 'episode' | 'line'>): string {
  return `${row.episode}/rows.jsonl:${row.line}`;
}

/** Throws AppError `row-changed` when the line or its images' names are others than when the pool was read. Image bytes are not read again here. */
export async function readRow(row: PoolRow): Promise<RawRow> {
  const file = path.join(row.folder, 'rows.jsonl');
  try {
    const parsed = parseRow(decodeLine({ bytes: await readPart(file, row.offset, row.length) }));
    if (typeof parsed === 'string') throw changed(file, row, 'it is marked to be left out now');
    if (parsed.imageUrls.length !== row.images.length) throw changed(file, row, 'it has another number of images');
    for (const [index, url] of parsed.imageUrls.entries()) {
      if ((await resolveImage(row.folder, url)) !== row.images[index]?.path)
        throw changed(file, row, `it shows ${url} now`);
    }
    if (rowKey(parsed.messages, parsed.target, row.images) !== row.key) throw changed(file, row, 'its text is another');
    return { row, messages: parsed.messages, target: parsed.target };
  } catch (error) {
    if (error instanceof RowFault || errorCode(error) !== undefined) {
      if (!(error instanceof AppError)) throw changed(file, row, messageOf(error));
    }
    throw error;
  }
}

function changed(file: string, row: PoolRow, why: string): AppError {
  return new AppError(
    'row-changed',
    `${file}:${row.line} has changed since the pool was read: ${why}`,
    'Do not write to the rows while they are in use; start again to read them anew.',
  );
}

async function readPart(file: string, offset: number, length: number): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const bytes = Buffer.alloc(length);
    let have = 0;
    while (have < length) {
      const { bytesRead } = await handle.read(bytes, have, length - have, offset + have);
      if (bytesRead === 0) throw new RowFault('row-changed', 'the file has become shorter');
      have += bytesRead;
    }
    return bytes;
  } finally {
    await handle.close();
  }
}
