/**
 * Where Whetstone keeps what is its own: WHETSTONE_DATA, or the platform's place for application data. Run folders and the cache of encoded rows
 * may lie on any disk; the database has to be on a local one and can be moved by itself with WHETSTONE_DATABASE.
 */
import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { AppError } from './contract/errors.ts';

export interface Environment {
  readonly [name: string]: string | undefined;
}

/**
 * Where package.json, demo/ and .whetstone/ lie, seen from `here`, the folder of this module: the repository when it runs from its sources (main/) or from
 * a bundle (.vite/build/), the application's resources folder when it is packaged (RESOURCES/app.asar/.vite/build/).
 */
export function findProjectFolder(here: string): string {
  const archive = /^(.*?)[\\/]app\.asar(?:\.unpacked)?(?:[\\/]|$)/.exec(here)?.[1];
  if (archive !== undefined) return archive;
  const bundled = path.basename(here) === 'build' && path.basename(path.dirname(here)) === '.vite';
  return path.resolve(here, bundled ? '../..' : '..');
}

/** The repository, or the folder that the packaged files lie in. */
export const projectFolder = findProjectFolder(import.meta.dirname);

export function dataFolder(
  environment: Environment = process.env,
  platform: NodeJS.Platform = process.platform,
  home: string = os.homedir(),
): string {
  const chosen = environment['WHETSTONE_DATA'];
  if (chosen) return path.resolve(chosen);
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'Whetstone');
  if (platform === 'win32')
    return path.join(environment['APPDATA'] ?? path.join(home, 'AppData', 'Roaming'), 'Whetstone');
  const shared = environment['XDG_DATA_HOME'];
  // The XDG rules say that a relative path there does not count.
  return path.join(shared && path.isAbsolute(shared) ? shared : path.join(home, '.local', 'share'), 'whetstone');
}

export function runsFolder(environment: Environment = process.env): string {
  return path.join(dataFolder(environment), 'runs');
}

/** Encoded rows; can be removed at any time. */
export function cacheFolder(environment: Environment = process.env): string {
  return path.join(dataFolder(environment), 'cache');
}

export function databaseFile(environment: Environment = process.env): string {
  const chosen = environment['WHETSTONE_DATABASE'];
  return chosen ? path.resolve(chosen) : path.join(dataFolder(environment), 'whetstone.db');
}

/** Makes `folder` and those above it. Throws AppError where it cannot be made or cannot be written to. */
export function ensureFolder(folder: string): string {
  try {
    makeFolders(path.resolve(folder));
    accessSync(folder, constants.W_OK | constants.X_OK);
    return folder;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const why = error instanceof Error ? error.message : String(error);
    const hint =
      code === 'ENOSPC' || code === 'EDQUOT'
        ? 'The disk (or your quota) is full: make room, or set WHETSTONE_DATA to a folder on another disk.'
        : code === 'EEXIST' || code === 'ENOTDIR'
          ? 'A file is in the way: move it, or set WHETSTONE_DATA to another folder.'
          : 'The folder cannot be written to: change its permissions, or set WHETSTONE_DATA to a folder of yours.';
    throw new AppError('folder-not-writable', `cannot use the folder ${folder}: ${why}`, hint, { cause: error });
  }
}

/** mkdir -p. Not Node's own `recursive`, which spins for ever where a folder that is there answers ENOENT (/proc, some network disks). */
function makeFolders(folder: string): void {
  const parent = path.dirname(folder);
  if (parent !== folder && !existsSync(folder)) makeFolders(parent);
  mkdirUnlessThere(folder);
}

function mkdirUnlessThere(folder: string): void {
  if (existsSync(folder) && statSync(folder).isDirectory()) return;
  try {
    mkdirSync(folder);
  } catch (error) {
    // Somebody else may have made it meanwhile.
    if (!(existsSync(folder) && statSync(folder).isDirectory())) throw error;
  }
}
