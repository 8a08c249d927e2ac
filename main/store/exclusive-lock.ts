/**
 * A lock between processes that ends with its process, however that ends: a small SQLite file held in BEGIN EXCLUSIVE. That is an ordinary lock of the
 * operating system (fcntl, LockFileEx), so nothing has to be cleaned up after a crash and there is no stale pid to judge. For local disks.
 */
import Database from 'better-sqlite3';
import { AppError } from '../contract/errors.ts';

export interface ExclusiveLock {
  release(): void;
}

/** A connection that nobody refers to is closed by the garbage collector, and the lock with it: held ones stay here until they are released. */
const heldLocks = new Set<Database.Database>();

/** Takes the lock, or answers undefined when another process (or another caller in this one) has it. Throws AppError where the file cannot be used. */
export function tryExclusiveLock(file: string): ExclusiveLock | undefined {
  let database: Database.Database | undefined;
  try {
    database = new Database(file, { timeout: 0 });
    database.pragma('journal_mode = DELETE');
    database.exec('BEGIN EXCLUSIVE');
    const held = database;
    heldLocks.add(held);
    return {
      release() {
        heldLocks.delete(held);
        held.close();
      },
    };
  } catch (error) {
    database?.close();
    const code = error instanceof Database.SqliteError ? error.code : '';
    if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return undefined;
    throw new AppError(
      'lock-unusable',
      `cannot lock ${file}: ${error instanceof Error ? error.message : String(error)}`,
      'Check that its folder can be written to; if the file is damaged, remove it (it holds no data).',
      { cause: error },
    );
  }
}
