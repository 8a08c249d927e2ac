/**
 * How a file is recognised as unchanged without reading it: size, modification time and inode. A time of the last two seconds proves nothing (the file may be
 * written again within the clock's grain, with the same size), so such files are not remembered.
 */
import type { Stats } from 'node:fs';

/** Bytes, milliseconds since 1970 with their fraction, inode. */
export type Identity = [size: number, modifiedMs: number, inode: number];

const graceMs = 2000;

export function identityOf(stats: Stats): Identity {
  return [stats.size, stats.mtimeMs, stats.ino];
}

export function isSame(identity: Identity, stats: Stats): boolean {
  return identity[0] === stats.size && identity[1] === stats.mtimeMs && identity[2] === stats.ino;
}

/** `readAtMs`: when reading began. A clock of another machine may run ahead: a time in the future is not trusted either. */
export function isSettled(identity: Identity, readAtMs: number): boolean {
  return identity[1] < readAtMs - graceMs;
}
