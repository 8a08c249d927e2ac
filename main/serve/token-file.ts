/**
 * The token that lets a window in, and the port that it was reached on: both are kept, so that a tab which was open before a restart of the server finds it
 * again, and a tunnel still points to it.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { AppError } from '../contract/errors.ts';
import { fileError, writeFileAtomic } from '../io/atomic-file.ts';

/** Reads the token in `file`, or makes one there (32 random bytes, mode 0600). Throws AppError where others can read it or it is none. */
export function readOrMakeToken(file: string): string {
  const made = randomBytes(32).toString('base64url');
  try {
    writeFileSync(file, `${made}\n`, { mode: 0o600, flag: 'wx', flush: true });
    return made;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw fileError(error, 'write', file);
  }
  let token: string;
  let mode: number;
  try {
    token = readFileSync(file, 'utf8').trim();
    mode = statSync(file).mode;
  } catch (error) {
    throw fileError(error, 'read', file);
  }
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw new AppError(
      'token-readable-by-others',
      `others can read the token in ${file} (mode ${(mode & 0o777).toString(8)})`,
      'Remove the file: the next start makes a new token that only you can read.',
    );
  if (!/^[\w-]{43,200}$/.test(token))
    throw new AppError(
      'bad-token',
      `${file} holds no token: one is 43 to 200 letters, digits, - or _`,
      'Remove the file: the next start makes a new token.',
    );
  return token;
}

/** The port of the last time; null where there was none. */
export function readPort(file: string): number | null {
  try {
    const port = Number(readFileSync(file, 'utf8'));
    return Number.isInteger(port) && port >= 1024 && port <= 65535 ? port : null;
  } catch {
    return null;
  }
}

export function keepPort(file: string, port: number): void {
  writeFileAtomic(file, `${port}\n`);
}
