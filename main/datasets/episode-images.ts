/**
 * The image files of one episode. The episode's real folder is the root: nothing outside it is opened, whatever a row or a link says, because rows come
 * from other people and the paths end up in windows and servers.
 */
import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { PoolImage } from '../contract/pool.ts';
import { identityOf } from './identity.ts';
import type { Identity } from './identity.ts';
import { ImageFault, readImageHeader } from './image-header.ts';
import { RowFault } from './row-fault.ts';

export interface EpisodeImage {
  image: PoolImage;
  /** The file's name as the row gives it. */
  url: string;
  identity: Identity;
}

/** Absolute path of the file that `url` names, links resolved. Throws RowFault when it is outside `folder` (a real path) or not there. */
export async function resolveImage(folder: string, url: string): Promise<string> {
  const name = JSON.stringify(url.length > 120 ? `${url.slice(0, 120)}…` : url);
  if (/^(data|https?|file):/i.test(url)) {
    throw new RowFault('image-outside', `the image ${name} is an address; images have to be files beside rows.jsonl`);
  }
  if (url === '' || url.includes('\0')) throw new RowFault('image-missing', `${name} is no file name of an image`);
  if (path.isAbsolute(url))
    throw new RowFault(
      'image-outside',
      `the image ${name} has an absolute path; it has to lie in the episode's folder`,
    );
  if (url.split(/[/\\]/).includes('..'))
    throw new RowFault('image-outside', `the image ${name} leaves its folder with ".."`);
  let real: string;
  try {
    real = await realpath(path.join(folder, url));
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') throw new RowFault('image-missing', `the image ${name} is not there`);
    throw new RowFault('image-unreadable', `the image ${name} cannot be opened: ${messageOf(error)}`);
  }
  if (!real.startsWith(folder + path.sep)) {
    throw new RowFault(
      'image-outside',
      `the image ${name} is a link to ${real}, outside its episode's folder ${folder}`,
    );
  }
  return real;
}

/** Reads each image once, however many rows show it. */
export class EpisodeImages {
  readonly #folder: string;
  readonly #images = new Map<string, EpisodeImage>();

  /** `folder`: the episode's real path. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** All that were read so far. */
  get images(): Iterable<EpisodeImage> {
    return this.#images.values();
  }

  /** Throws RowFault. */
  async read(url: string): Promise<PoolImage> {
    const known = this.#images.get(url);
    if (known !== undefined) return known.image;
    const real = await resolveImage(this.#folder, url);
    try {
      const before = await stat(real);
      if (!before.isFile()) throw new RowFault('image-not-file', `the image ${JSON.stringify(url)} is not a file`);
      const bytes = await readFile(real);
      const { width, height } = readImageHeader(bytes);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const image = { path: real, bytes: bytes.length, sha256, width, height };
      this.#images.set(url, { image, url, identity: identityOf(before) });
      return image;
    } catch (error) {
      if (error instanceof ImageFault)
        throw new RowFault(error.code, `the image ${JSON.stringify(url)}: ${error.message}`);
      if (error instanceof RowFault) throw error;
      throw new RowFault('image-unreadable', `the image ${JSON.stringify(url)} cannot be read: ${messageOf(error)}`);
    }
  }
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
