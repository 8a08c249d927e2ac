/**
 * Opens the run history. The main process is its only writer, which a lock beside the database makes sure of, whatever else is started; everybody can
 * read. Handles to read and to write are different types, so code that was given a read handle cannot write.
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { AppError } from '../contract/errors.ts';
import { ensureFolder } from '../paths.ts';
import { tryExclusiveLock } from './exclusive-lock.ts';
import { latestVersion, migrate } from './migrations/index.ts';

declare const writable: unique symbol;

/** Can be read from. */
export interface ReadDb {
  readonly sqlite: Database.Database;
}

/** Can be written to; there is one at a time, on the whole machine. */
export interface WriteDb extends ReadDb {
  readonly [writable]: true;
  close(): void;
}

export type { Database };

/** File systems over a network, on which SQLite's WAL does not work: its readers share memory, which two hosts do not. */
const networkTypes =
  /^(nfs4?|cifs|smb3|smbfs|afs|lustre|gpfs|beegfs|ceph|glusterfs|fuse\.(sshfs|glusterfs|ceph|s3fs|rclone|beegfs))$/;

/** Type of the network file system that the folder `wanted` lies on, links followed, or undefined: local, or not to be told. `mounts` is the text of /proc/self/mounts. */
export function networkFileSystem(wanted: string, mounts: string = readMounts()): string | undefined {
  const folder = realPlace(wanted);
  let best = { place: '', type: '' };
  for (const line of mounts.split('\n')) {
    const [, raw = '', type = ''] = line.split(' ');
    const place = raw.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
    const within = place === '/' || folder === place || folder.startsWith(`${place}/`);
    // Of two mounts at one place the later one is seen.
    if (within && place.length >= best.place.length) best = { place, type };
  }
  return networkTypes.test(best.type) ? best.type : undefined;
}

/** Where a folder really is, or will be: that of the nearest folder above it that is there. */
function realPlace(folder: string): string {
  const place = path.resolve(folder);
  try {
    return realpathSync(place);
  } catch {
    const parent = path.dirname(place);
    return parent === place ? place : path.join(realPlace(parent), path.basename(place));
  }
}

function readMounts(): string {
  try {
    return readFileSync('/proc/self/mounts', 'utf8');
  } catch {
    return '';
  }
}

function refuseNetworkFolder(folder: string): void {
  const type = networkFileSystem(folder);
  if (type)
    throw new AppError(
      'database-on-network',
      `the run history cannot be kept in ${folder}: it is on a network disk (${type})`,
      'Set WHETSTONE_DATABASE to a file on a local disk. Run folders may stay where they are; the history can be made from them again.',
    );
}

/** Faults of the database file as AppErrors: damaged, full, read-only, held by another. Anything else is passed on. */
export function databaseError(error: unknown, file: string): Error {
  if (!(error instanceof Database.SqliteError)) return error instanceof Error ? error : new Error(String(error));
  const failed = (code: string, what: string, hint: string): AppError =>
    new AppError(code, `${what}: ${file} (${error.message})`, hint, { cause: error });
  const { code } = error;
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB')
    return failed(
      'database-damaged',
      'the run history is damaged',
      `Move ${file} away (keep it): the history is made anew from the run folders at the next start.`,
    );
  if (code === 'SQLITE_FULL')
    return failed('disk-full', 'the disk is full', 'Make room, then try again: nothing is lost.');
  if (code.startsWith('SQLITE_READONLY') || code === 'SQLITE_PERM')
    return failed(
      'database-read-only',
      'the run history cannot be written to',
      'Change the permissions of the file and its folder.',
    );
  if (code.startsWith('SQLITE_CANTOPEN'))
    return failed(
      'database-unusable',
      'the run history cannot be opened',
      'Check the path and its permissions, or set WHETSTONE_DATA.',
    );
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'))
    return failed('database-busy', 'the run history is in use by another program', 'Try again in a moment.');
  if (code.startsWith('SQLITE_IOERR'))
    return failed('database-unreadable', 'the disk of the run history fails', 'Check the disk.');
  return error;
}

function open(file: string, readonly: boolean): Database.Database {
  let database: Database.Database | undefined;
  try {
    database = new Database(file, { readonly, fileMustExist: readonly, timeout: 5000 });
    if (!readonly) {
      database.pragma('journal_mode = WAL');
      database.pragma('synchronous = NORMAL');
    }
    database.pragma('foreign_keys = ON');
    const version = Number(database.pragma('user_version', { simple: true }));
    if (version > latestVersion)
      throw new AppError(
        'database-newer',
        `the run history ${file} is of a newer Whetstone (version ${version}, this one knows ${latestVersion})`,
        'Take the newer Whetstone, or set WHETSTONE_DATABASE to another file: a history is made there from the run folders.',
      );
    // Opening reads nothing: a file that is no database shows here.
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return database;
  } catch (error) {
    database?.close();
    throw databaseError(error, file);
  }
}

/**
 * The writer, with the newest schema; undefined while another process is the writer. Throws AppError: database-newer, database-damaged,
 * database-on-network, database-read-only, disk-full, ...
 */
export function tryOpenWriter(file: string): WriteDb | undefined {
  ensureFolder(path.dirname(file));
  refuseNetworkFolder(path.dirname(file));
  const lock = tryExclusiveLock(`${file}.writer`);
  if (!lock) return undefined;
  try {
    const sqlite = open(file, false);
    try {
      // A file that may not be written to opens all the same, to be read: found out here and not at the first event.
      sqlite.exec('BEGIN IMMEDIATE; CREATE TABLE may_be_written (it); ROLLBACK');
      migrate(sqlite);
    } catch (error) {
      sqlite.close();
      throw databaseError(error, file);
    }
    const close = (): void => {
      sqlite.close();
      lock.release();
    };
    return { sqlite, close } as WriteDb;
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** A reader; undefined where there is no history yet. Throws AppError as tryOpenWriter does, and where the schema is older than this program. */
export function tryOpenReader(file: string): (ReadDb & { close(): void }) | undefined {
  if (!existsSync(file)) return undefined;
  const sqlite = open(file, true);
  const version = Number(sqlite.pragma('user_version', { simple: true }));
  if (version < latestVersion) {
    sqlite.close();
    throw new AppError(
      'database-older',
      `the run history ${file} is of an older Whetstone, and its writer is at work`,
      'Close the older one: its history is brought up to date at the next start.',
    );
  }
  return { sqlite, close: () => sqlite.close() };
}
