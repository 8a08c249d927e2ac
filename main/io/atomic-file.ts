/**
 * Files that are there whole or not at all: written under a temporary name in the same folder, synced, renamed, the folder synced. Modes follow the
 * umask, since colleagues and servers have to read what we write. A fault of the disk becomes an AppError that says what to do.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../contract/errors.ts';

/** Turns an errno fault into an AppError that names the file; anything else is passed on as it is. */
export function fileError(error: unknown, action: string, file: string): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const failed = (hint: string): AppError =>
    new AppError(`file-${code?.toLowerCase() ?? 'fault'}`, `cannot ${action} ${file}: ${error.message}`, hint, {
      cause: error,
    });
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return failed('The disk (or your quota) is full: make room, or choose another folder.');
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return failed('The folder is read-only for you: change its permissions, or choose another folder.');
    case 'ENOENT':
      return failed('Nothing is there: check the path.');
    case 'ENOTDIR':
      return failed('A part of the path is a file, not a folder: check the path.');
    case 'EISDIR':
      return failed('A folder is in the way of this file: move it, or choose another path.');
    case undefined:
      return error;
    default:
      return failed('Check the disk and the path, then try again.');
  }
}

/** Writes `chunks` one after the other to `file`. Throws AppError; nothing of the new content is left behind then. */
export function writeFileAtomic(file: string, ...chunks: (string | Uint8Array)[]): void {
  const temporary = path.join(path.dirname(file), `.${path.basename(file)}.${randomBytes(6).toString('hex')}.tmp`);
  let handle: number | undefined;
  let created = false;
  try {
    handle = openSync(temporary, 'wx', 0o666);
    created = true;
    for (const chunk of chunks) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      for (let at = 0; at < bytes.length;) at += writeSync(handle, bytes, at);
    }
    fsyncSync(handle);
    closeSync(handle);
    handle = undefined;
    renameSync(temporary, file);
    syncFolder(path.dirname(file));
  } catch (error) {
    if (handle !== undefined) closeSync(handle);
    if (created) rmSync(temporary, { force: true });
    throw fileError(error, 'write', file);
  }
}

/** Makes a rename in `folder` last. Where the system cannot sync a folder (Windows, some network disks), the rename alone has to do. */
export function syncFolder(folder: string): void {
  let handle: number;
  try {
    handle = openSync(folder, 'r');
  } catch {
    return;
  }
  try {
    fsyncSync(handle);
  } catch {
    // EINVAL on file systems that do not sync folders.
  } finally {
    closeSync(handle);
  }
}
