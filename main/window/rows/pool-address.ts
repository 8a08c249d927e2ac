/** The address of a pool: it names folders, not their content, so that a link goes on working while rows are added. */
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import path from 'node:path';

/** Absolute, links resolved where the folder is there: two ways to write one folder are one pool. */
export function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    // Reading the rows will say what is wrong with it.
    return path.resolve(folder);
  }
}

/** 16 hex digits of the SHA-256 over the real folders in their order (the order of folders is the order of rows). */
export function poolAddress(folders: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify(folders.map(realFolder)))
    .digest('hex')
    .slice(0, 16);
}
