/** The bytes of a row's image, if they are still those that the pool was read with: a picture that was replaced would show something that is not trained. */
import { createHash } from 'node:crypto';
import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../../contract/errors.ts';
import type { PoolRow } from '../../contract/pool.ts';
import type { RowImage } from '../../contract/window/rows.ts';
import { readImageHeader } from '../../datasets/image-header.ts';

/** Throws AppError `no-such-image`, `image-missing`, `image-outside` or `image-changed`. */
export async function readRowImage(row: PoolRow, index: number): Promise<RowImage> {
  const image = row.images[index];
  if (!image)
    throw new AppError(
      'no-such-image',
      `${row.episode}:${row.line} has ${row.images.length} images, there is no number ${index}`,
    );
  const bytes = await readInside(image.path, row.folder);
  const isSame = bytes.length === image.bytes && createHash('sha256').update(bytes).digest('hex') === image.sha256;
  if (!isSame)
    throw new AppError(
      'image-changed',
      `${image.path} is another file than when the pool was read (${image.bytes} bytes then, ${bytes.length} now)`,
      'Read the pool again. A run that was planned before stops when it comes to this row.',
    );
  // Not by the file's name: screenshots called .png are often JPEG.
  return { type: `image/${readImageHeader(bytes).format}`, bytes: new Uint8Array(bytes) };
}

/** A link put in the image's place after the pool was read must not lead out of the episode. */
async function readInside(file: string, folder: string): Promise<Buffer> {
  try {
    const real = await realpath(file);
    if (real !== file && !real.startsWith(folder + path.sep))
      throw new AppError(
        'image-outside',
        `${file} is a link to ${real} now, outside its episode's folder ${folder}`,
        'Put the image back, or leave the row out.',
      );
    return await readFile(real);
  } catch (error) {
    if (error instanceof AppError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw new AppError(
      'image-missing',
      isGone ? `the image ${file} is not there any more` : `the image ${file} cannot be read: ${why}`,
      'Put it back, then read the pool again.',
      { cause: error },
    );
  }
}
