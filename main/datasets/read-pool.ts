/**
 * Reads rows folders: `<rows>/<episode>/rows.jsonl`, episodes in the order of the Python trainers. Rows that cannot be used are listed with file and line
 * and never dropped in silence; whether to go on without them is the caller's decision.
 */
import { readdirSync, realpathSync, statSync } from 'node:fs';
import type { Dirent } from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../contract/errors.ts';
import type { BadRow, Pool, PoolRow } from '../contract/pool.ts';
import { fileError } from '../io/atomic-file.ts';
import { Catalog } from './catalog.ts';
import { compareCodePoints } from '../text/code-points.ts';
import { errorCode, messageOf } from './episode-images.ts';
import { readEpisode } from './read-episode.ts';
import type { EpisodeContent, EpisodeFolder } from './read-episode.ts';

export interface PoolProgress {
  /** Over all folders. */
  episodes: number;
  ofEpisodes: number;
  rows: number;
}

export interface ReadPoolOptions {
  /** Where to remember what was read; null: nowhere. */
  cacheFolder: string | null;
  onProgress?: (progress: PoolProgress) => void;
  /** The cache could not be written: the pool is whole, only the next reading is slow. */
  onWarning?: (message: string) => void;
  signal?: AbortSignal;
}

/** How many episodes are read at once; more only adds to the memory. */
const readers = 4;
/** After that many recalled episodes other work gets its turn. */
const turnEvery = 256;

/** Throws AppError for a folder that is missing, unreadable, given twice, or holds no rows. Bad rows are in `pool.bad`, not thrown. */
export async function readPool(folders: string[], options: ReadPoolOptions): Promise<Pool> {
  if (folders.length === 0)
    throw new AppError(
      'no-rows-folder',
      'no rows folder was given',
      'Name a folder of episodes, each with a rows.jsonl: --rows-dir FOLDER.',
    );
  const listed = folders.map((folder) => listEpisodes(folder));
  refuseRepeats(folders, listed);
  const progress: PoolProgress = {
    episodes: 0,
    ofEpisodes: listed.reduce((sum, { episodes }) => sum + episodes.length, 0),
    rows: 0,
  };
  const rows: PoolRow[] = [];
  const bad: BadRow[] = [];
  const leftOut = { inject: 0, augPrefix: 0 };
  const linkTargets = new Set<string>();
  const roots = listed.map(({ real }) => real);
  for (const { real, episodes } of listed) {
    const contents = await readFolder(real, episodes, options, progress);
    for (const content of contents) {
      for (const row of content.rows) rows.push(row);
      for (const fault of content.bad) bad.push(fault);
      leftOut.inject += content.leftOut.inject;
      leftOut.augPrefix += content.leftOut.augPrefix;
    }
    for (const episode of episodes) {
      if (!roots.some((root) => episode.real.startsWith(root + path.sep))) linkTargets.add(episode.real);
    }
  }
  if (rows.length === 0 && bad.length === 0)
    throw noRows(
      folders,
      listed.every(({ episodes }) => episodes.length === 0),
      leftOut,
    );
  return { folders: [...folders], rows, bad, leftOut, linkTargets: [...linkTargets].sort(compareCodePoints) };
}

async function readFolder(
  real: string,
  episodes: readonly EpisodeFolder[],
  options: ReadPoolOptions,
  progress: PoolProgress,
): Promise<EpisodeContent[]> {
  const catalog = options.cacheFolder === null ? null : new Catalog(options.cacheFolder, real);
  const contents = new Array<EpisodeContent>(episodes.length);
  const keep = (index: number, content: EpisodeContent): void => {
    contents[index] = content;
    progress.episodes++;
    progress.rows += content.rows.length;
  };
  const unread: number[] = [];
  for (const [index, episode] of episodes.entries()) {
    const content = catalog?.recall(episode) ?? null;
    if (content === null) unread.push(index);
    else keep(index, content);
    if (index % turnEvery !== turnEvery - 1) continue;
    options.onProgress?.({ ...progress });
    await nextTurn();
    throwIfCancelled(options.signal);
  }
  let next = 0;
  const read = async (): Promise<void> => {
    while (next < unread.length) {
      throwIfCancelled(options.signal);
      const index = unread[next++];
      const episode = index === undefined ? undefined : episodes[index];
      if (index === undefined || episode === undefined) return;
      const content = await readEpisode(episode);
      catalog?.remember(episode, content);
      keep(index, content);
      options.onProgress?.({ ...progress });
    }
  };
  await Promise.all(Array.from({ length: Math.min(readers, unread.length) }, read));
  try {
    catalog?.save();
  } catch (error) {
    options.onWarning?.(`the list of what is in ${real} could not be kept for next time: ${messageOf(error)}`);
  }
  options.onProgress?.({ ...progress });
  return contents;
}

function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted)
    throw new AppError('cancelled', 'reading the rows was cancelled', undefined, { cause: signal.reason });
}

/** Episodes that have a rows.jsonl, by name in code-point order. */
function listEpisodes(folder: string): { real: string; episodes: EpisodeFolder[] } {
  let real: string;
  let entries: Dirent[];
  try {
    real = realpathSync(folder);
    if (!statSync(real).isDirectory()) {
      throw new AppError(
        'rows-not-a-folder',
        `${folder} is a file, not a folder`,
        'Give the folder that holds the episodes, not a rows.jsonl.',
      );
    }
    entries = readdirSync(real, { withFileTypes: true });
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (errorCode(error) !== 'ENOENT') throw fileError(error, 'read the rows folder', folder);
    throw new AppError('rows-folder-missing', `there is no folder ${folder}`, 'Check the path of the rows folder.', {
      cause: error,
    });
  }
  const episodes: EpisodeFolder[] = [];
  for (const entry of entries) {
    if (entry.name.startsWith('_') || !(entry.isDirectory() || entry.isSymbolicLink())) continue;
    if (entry.name.includes('\ufffd')) {
      throw new AppError(
        'episode-name',
        `the name of ${path.join(folder, entry.name)} is not valid UTF-8`,
        'Rename the episode.',
      );
    }
    const shown = path.join(folder, entry.name);
    const episode = entry.isSymbolicLink() ? resolveLink(shown) : path.join(real, entry.name);
    if (episode !== null && hasRows(episode)) episodes.push({ name: entry.name, shown, real: episode });
  }
  return { real, episodes: episodes.sort((a, b) => compareCodePoints(a.name, b.name)) };
}

/** Null for a link that leads nowhere: it has no rows.jsonl. */
function resolveLink(link: string): string | null {
  try {
    return realpathSync(link);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return null;
    throw fileError(error, 'follow the link', link);
  }
}

function hasRows(episode: string): boolean {
  try {
    return statSync(path.join(episode, 'rows.jsonl'), { throwIfNoEntry: false }) !== undefined;
  } catch {
    // It is there but cannot be looked at: reading it will say why, with its name.
    return true;
  }
}

function refuseRepeats(folders: readonly string[], listed: readonly { real: string }[]): void {
  listed.forEach(({ real }, index) => {
    const first = listed.findIndex((other) => other.real === real);
    if (first === index) return;
    throw new AppError(
      'rows-folder-twice',
      `${folders[first] ?? real} and ${folders[index] ?? real} are the same folder (${real})`,
      'Give it once: each of its rows would be trained twice.',
    );
  });
}

function noRows(folders: readonly string[], noEpisodes: boolean, leftOut: Pool['leftOut']): AppError {
  const where = folders.join(', ');
  if (noEpisodes) {
    return new AppError(
      'no-episodes',
      `there is no episode in ${where}`,
      'An episode is a folder with a rows.jsonl in it, directly below the rows folder; names that begin with "_" do not count.',
    );
  }
  const count = leftOut.inject + leftOut.augPrefix;
  const why = count > 0 ? ` (${count} were left out: injected mistakes and their prefixes)` : '';
  return new AppError(
    'no-rows',
    `there is no row to train on in ${where}${why}`,
    'Check that the rows.jsonl files are the ones you mean.',
  );
}
