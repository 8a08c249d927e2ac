/** The history for a command: brought up to date where nobody else writes it, as it is otherwise. */
import { databaseFile, runsFolder } from '../paths.ts';
import { databaseError, tryOpenReader, tryOpenWriter, type ReadDb } from '../store/database.ts';
import { syncRuns } from '../trainer/sync.ts';

/** Runs `work` on the history. `undefined` stands for a history that is not there yet and that somebody else is about to make. */
export function withHistory<T>(work: (db: ReadDb | undefined) => T): T {
  const file = databaseFile();
  try {
    const writer = tryOpenWriter(file);
    if (writer) {
      try {
        for (const { message } of syncRuns(writer, runsFolder())) console.error(`warning: ${message}`);
        return work(writer);
      } finally {
        writer.close();
      }
    }
    const reader = tryOpenReader(file);
    try {
      return work(reader);
    } finally {
      reader?.close();
    }
  } catch (error) {
    throw databaseError(error, file);
  }
}
