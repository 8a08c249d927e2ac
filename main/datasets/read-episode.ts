/** One episode from disk: every line parsed, every image opened and hashed. What is slow about reading a pool is here; catalog.ts remembers the outcome. */
import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { BadRow, PoolImage, PoolRow } from '../contract/pool.ts';
import { EpisodeImages, errorCode, messageOf } from './episode-images.ts';
import type { EpisodeImage } from './episode-images.ts';
import { identityOf, isSettled } from './identity.ts';
import type { Identity } from './identity.ts';
import { isTruthy, JsonFault, parsePythonJson } from '../text/json-scanner.ts';
import { isBlank } from '../text/code-points.ts';
import { maximumLine, readLines } from './lines.ts';
import type { Line } from './lines.ts';
import { parseRow, rowKey } from './row.ts';
import { RowFault } from './row-fault.ts';

/** An episode's folder: `shown` is what messages say, `real` has its links resolved. */
export interface EpisodeFolder {
  name: string;
  shown: string;
  real: string;
}

export interface EpisodeContent {
  rows: PoolRow[];
  bad: BadRow[];
  leftOut: { inject: number; augPrefix: number };
}

export interface ReadEpisode extends EpisodeContent {
  /** What the files were when they were read; null when they may have changed meanwhile or are too young to tell. */
  files: { rows: Identity; parts: Identity | null; images: readonly EpisodeImage[] } | null;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export async function readEpisode(folder: EpisodeFolder): Promise<ReadEpisode> {
  const startedMs = Date.now();
  const content: EpisodeContent = { rows: [], bad: [], leftOut: { inject: 0, augPrefix: 0 } };
  const file = path.join(folder.shown, 'rows.jsonl');
  const reject = (line: number, fault: RowFault, where = file): void => {
    content.bad.push({ file: where, line, code: fault.code, message: fault.message });
  };
  const images = new EpisodeImages(folder.real);
  let rowsIdentity: Identity | undefined;
  let partsIdentity: Identity | null = null;
  try {
    rowsIdentity = await checkRowsFile(folder);
    const { parts, identity } = await readParts(folder);
    partsIdentity = identity;
    for await (const line of readLines(path.join(folder.real, 'rows.jsonl'))) {
      try {
        const row = await readLine(folder, line, parts, images);
        if (row === 'inject' || row === 'augPrefix') content.leftOut[row]++;
        else if (row !== null) content.rows.push(row);
      } catch (error) {
        if (!(error instanceof RowFault)) throw error;
        reject(line.number, line.ended ? error : withTornHint(error));
      }
    }
  } catch (error) {
    if (error instanceof RowFault)
      reject(0, error, error.code.startsWith('episode-') ? path.join(folder.shown, 'episode.json') : file);
    else if (errorCode(error) !== undefined)
      reject(0, new RowFault('rows-unreadable', `it cannot be read: ${messageOf(error)}`));
    else throw error;
  }
  const files =
    rowsIdentity === undefined ? null : { rows: rowsIdentity, parts: partsIdentity, images: [...images.images] };
  return {
    ...content,
    files: files !== null && (await isUnchanged(folder, files.rows, startedMs, files)) ? files : null,
  };
}

async function readLine(
  folder: EpisodeFolder,
  line: Line,
  parts: readonly string[] | null,
  images: EpisodeImages,
): Promise<PoolRow | 'inject' | 'augPrefix' | null> {
  const text = decodeLine(line);
  if (isBlank(text)) return null;
  const parsed = parseRow(text);
  if (parsed === 'inject' || parsed === 'augPrefix') return parsed;
  const rowImages: PoolImage[] = [];
  for (const url of parsed.imageUrls) rowImages.push(await images.read(url));
  return {
    episode: folder.name,
    folder: folder.real,
    line: line.number,
    offset: line.offset,
    length: line.length,
    key: rowKey(parsed.messages, parsed.target, rowImages),
    ...parsed.fields,
    parts,
    images: rowImages,
  };
}

/** Throws RowFault for bytes that are no UTF-8. */
export function decodeLine(line: Pick<Line, 'bytes'>): string {
  if (line.bytes === null) throw new RowFault('row-too-long', `the line is longer than ${maximumLine / 2 ** 20} MiB`);
  try {
    return utf8.decode(line.bytes);
  } catch {
    throw new RowFault('row-utf8', 'the line is not valid UTF-8');
  }
}

async function checkRowsFile(folder: EpisodeFolder): Promise<Identity> {
  const real = await realpath(path.join(folder.real, 'rows.jsonl'));
  if (!real.startsWith(folder.real + path.sep)) {
    throw new RowFault('rows-outside', `it is a link to ${real}, outside its episode's folder ${folder.real}`);
  }
  const stats = await stat(real);
  if (!stats.isFile()) throw new RowFault('rows-unreadable', 'it is not a file');
  return identityOf(stats);
}

/** Missing or broken: no parts, as in the Python trainers. Parts that are not a list of names would change the split, so they are a fault. */
async function readParts(
  folder: EpisodeFolder,
): Promise<{ parts: readonly string[] | null; identity: Identity | null }> {
  const file = path.join(folder.real, 'episode.json');
  let identity: Identity;
  let episode: unknown;
  try {
    identity = identityOf(await stat(file));
    episode = parsePythonJson(utf8.decode(await readFile(file)));
  } catch (error) {
    const isExpected = errorCode(error) !== undefined || error instanceof JsonFault || error instanceof TypeError;
    if (!isExpected) throw error;
    return { parts: null, identity: await stat(file).then(identityOf, () => null) };
  }
  if (typeof episode !== 'object' || episode === null || Array.isArray(episode)) {
    throw new RowFault('episode-shape', 'it does not hold an object; none of the rows of this episode can be used');
  }
  const parts = 'parts' in episode ? episode.parts : null;
  if (!isTruthy(parts)) return { parts: null, identity };
  const isList = Array.isArray(parts) && parts.every((part) => typeof part === 'string' && part.isWellFormed());
  if (!isList)
    throw new RowFault(
      'episode-parts',
      'its parts are not a list of task ids; none of the rows of this episode can be used',
    );
  return { parts: parts as string[], identity };
}

function withTornHint(fault: RowFault): RowFault {
  if (fault.code !== 'row-json') return fault;
  return new RowFault(fault.code, `${fault.message}; it is the last line and has no line break: it may be torn`);
}

async function isUnchanged(
  folder: EpisodeFolder,
  rows: Identity,
  startedMs: number,
  files: { parts: Identity | null; images: readonly EpisodeImage[] },
): Promise<boolean> {
  const all = [rows, ...(files.parts ? [files.parts] : []), ...files.images.map((entry) => entry.identity)];
  if (!all.every((identity) => isSettled(identity, startedMs))) return false;
  const now = await stat(path.join(folder.real, 'rows.jsonl')).then(identityOf, () => null);
  return now !== null && now.every((part, index) => part === rows[index]);
}
