/**
 * The built window's files, held in memory: a few megabytes. What is not among them cannot be asked for, whatever the path looks like, and a build that is
 * made anew under a running server does not tear the pages that it has given out.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { AppError } from '../contract/errors.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.wasm': 'application/wasm',
};
const compressed = promisify(gzip);
const worthCompressing = /^(text\/|application\/(json|wasm)|image\/svg)/;

export interface WindowFile {
  type: string;
  body: Buffer;
  cacheControl: string;
  /** Gzipped; null where that gains nothing. Made when it is first asked for. */
  gzipped: () => Promise<Buffer | null>;
}

export interface WindowFiles {
  index: WindowFile;
  /** By path in the address, percent-decoded, `/` first. */
  find: (name: string) => WindowFile | undefined;
}

/** Throws AppError where there is no built window in `folder`. */
export function loadWindowFiles(folder: string): WindowFiles {
  const files = new Map<string, WindowFile>();
  let entries;
  try {
    entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch (error) {
    throw notBuilt(folder, error);
  }
  for (const entry of entries) {
    if (!entry.isFile() || entry.name.startsWith('.')) continue;
    const file = path.join(entry.parentPath, entry.name);
    const name = `/${path.relative(folder, file).split(path.sep).join('/')}`;
    files.set(name, windowFile(name, readFileSync(file)));
  }
  const index = files.get('/index.html');
  if (!index) throw notBuilt(folder);
  return { index, find: (name) => files.get(name) };
}

function windowFile(name: string, body: Buffer): WindowFile {
  const type = types[path.extname(name)] ?? 'application/octet-stream';
  let made: Promise<Buffer | null> | undefined;
  const make = async (): Promise<Buffer | null> => {
    if (body.length < 1024 || !worthCompressing.test(type)) return null;
    const smaller = await compressed(body);
    return smaller.length < body.length ? smaller : null;
  };
  return {
    type,
    body,
    // Names in assets/ carry a hash of their content; everything else must be asked for anew, index.html above all.
    cacheControl: name.startsWith('/assets/') ? 'private, max-age=31536000, immutable' : 'no-store',
    gzipped: () => (made ??= make()),
  };
}

function notBuilt(folder: string, cause?: unknown): AppError {
  return new AppError(
    'window-not-built',
    `there is no built window in ${folder}`,
    '`node tools/build-window.ts` builds it; `whetstone serve` does so by itself where the sources are.',
    { cause },
  );
}
