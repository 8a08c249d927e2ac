/**
 * What is known of a rows folder from earlier readings, so that a pool whose files are unchanged costs a stat a file instead of reading gigabytes. One JSON
 * file a rows folder in the cache. It is only ever a shortcut: one that is missing, broken or cannot be written changes no result.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { PoolImage, PoolRow } from '../contract/pool.ts';
import { writeFileAtomic } from '../io/atomic-file.ts';
import { isSame } from './identity.ts';
import type { Identity } from './identity.ts';
import type { EpisodeContent, EpisodeFolder, ReadEpisode } from './read-episode.ts';

/** Raise it whenever a row that was accepted could come out otherwise: what counts as bad, the key, the shapes here. */
const version = 1;

type CatalogImage = [url: string, identity: Identity, path: string, sha256: string, width: number, height: number];
type CatalogRow = Omit<PoolRow, 'episode' | 'folder' | 'parts' | 'images'> & { images: number[] };

interface CatalogEpisode {
  folder: string;
  rowsFile: Identity;
  partsFile: Identity | null;
  parts: readonly string[] | null;
  images: CatalogImage[];
  rows: CatalogRow[];
  leftOut: EpisodeContent['leftOut'];
}

/** The whole is checked for what it is, not number by number: it is our own file, written whole, and ten megabytes. */
const catalogSchema = z.object({
  format: z.literal('whetstone-catalog'),
  version: z.literal(version),
  folder: z.string(),
  episodes: z.record(
    z.string(),
    z.custom<CatalogEpisode>((value) => typeof value === 'object' && value !== null),
  ),
});

export class Catalog {
  readonly #file: string;
  readonly #folder: string;
  readonly #known: Record<string, CatalogEpisode>;
  readonly #next: Record<string, CatalogEpisode> = Object.create(null) as Record<string, CatalogEpisode>;
  #changed = false;

  /** `folder`: real path of a rows folder. */
  constructor(cacheFolder: string, folder: string) {
    const name = createHash('sha256').update(folder).digest('hex').slice(0, 32);
    this.#file = path.join(cacheFolder, 'catalog', `${name}.json`);
    this.#folder = folder;
    this.#known = this.#load();
  }

  #load(): Record<string, CatalogEpisode> {
    try {
      const catalog = catalogSchema.parse(JSON.parse(readFileSync(this.#file, 'utf8')));
      if (catalog.folder === this.#folder) return catalog.episodes;
    } catch {
      // Not there yet, torn by a full disk, or of another version: read everything and write it anew.
      this.#changed = true;
    }
    return {};
  }

  /** The episode's content, or null when it has to be read. Synchronous on purpose: 37,000 stats take 0.2 s this way and 1 s as promises. */
  recall(folder: EpisodeFolder): EpisodeContent | null {
    const known = Object.hasOwn(this.#known, folder.name) ? this.#known[folder.name] : undefined;
    if (known?.folder !== folder.real) return null;
    try {
      if (!isFileSame(path.join(folder.real, 'rows.jsonl'), known.rowsFile)) return null;
      if (!isFileSame(path.join(folder.real, 'episode.json'), known.partsFile)) return null;
      for (const [url, identity] of known.images) {
        // Not path.join: it takes as long as the stat.
        if (!isFileSame(`${folder.real}${path.sep}${url}`, identity)) return null;
      }
      const images = known.images.map(([, [bytes], path, sha256, width, height]): PoolImage => ({
        path,
        bytes,
        sha256,
        width,
        height,
      }));
      const rows = known.rows.map((row): PoolRow => ({
        episode: folder.name,
        folder: folder.real,
        ...row,
        parts: known.parts,
        images: row.images.map((index) => images[index] ?? broken()),
      }));
      this.#next[folder.name] = known;
      return { rows, bad: [], leftOut: { ...known.leftOut } };
    } catch {
      return null;
    }
  }

  /** Keeps an episode for next time. Those with bad rows are read again each time: what is wrong with them may lie outside the files seen here. */
  remember(folder: EpisodeFolder, episode: ReadEpisode): void {
    this.#changed = true;
    if (episode.files === null || episode.bad.length > 0) return;
    const images = [...episode.files.images];
    const indexOf = new Map(images.map(({ image }, index) => [image, index]));
    this.#next[folder.name] = {
      folder: folder.real,
      rowsFile: episode.files.rows,
      partsFile: episode.files.parts,
      parts: episode.rows[0]?.parts ?? null,
      images: images.map(({ image, url, identity }) => [
        url,
        identity,
        image.path,
        image.sha256,
        image.width,
        image.height,
      ]),
      rows: episode.rows.map((row) => compactRow(row, indexOf)),
      leftOut: episode.leftOut,
    };
  }

  /** Writes what is known now, if it differs from what was loaded. Throws AppError when the cache cannot be written. */
  save(): void {
    const isSmaller = Object.keys(this.#next).length !== Object.keys(this.#known).length;
    if (!this.#changed && !isSmaller) return;
    mkdirSync(path.dirname(this.#file), { recursive: true });
    const catalog = { format: 'whetstone-catalog', version, folder: this.#folder, episodes: this.#next };
    writeFileAtomic(this.#file, JSON.stringify(catalog));
  }
}

function compactRow(row: PoolRow, indexOf: ReadonlyMap<PoolImage, number>): CatalogRow {
  const { line, offset, length, key, taskId, step, segment, macro, family, op, resolved, memoryBy } = row;
  const images = row.images.map((image) => indexOf.get(image) ?? broken());
  return { line, offset, length, key, taskId, step, segment, macro, family, op, resolved, memoryBy, images };
}

function isFileSame(file: string, identity: Identity | null): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? identity === null : identity !== null && isSame(identity, stats);
}

function broken(): never {
  throw new Error('the catalog refers to an image that it does not have');
}
