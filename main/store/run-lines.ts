/** Lines of the runs table that were made before; see migrations/0030-run-lines.ts. */
import type { ReadDb, WriteDb } from './database.ts';

/** All of them, by the run's key. */
export function readRunLines({ sqlite }: ReadDb): Map<number, { stamp: string; line: string }> {
  const rows = sqlite.prepare('SELECT run, stamp, line FROM run_lines').all() as {
    run: number;
    stamp: string;
    line: string;
  }[];
  return new Map(rows.map(({ run, stamp, line }) => [run, { stamp, line }]));
}

export function writeRunLine({ sqlite }: WriteDb, run: number, stamp: string, line: string): void {
  sqlite.prepare('INSERT OR REPLACE INTO run_lines (run, stamp, line) VALUES (?, ?, ?)').run(run, stamp, line);
}
