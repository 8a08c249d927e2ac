/** The steps that bring a database to the newest schema. Numbers go by tens, so that one can be put between two; a step that was released never changes. */
import type Database from 'better-sqlite3';
import { initial } from './0010-initial.ts';
import { forWindow } from './0020-window.ts';
import { runLines } from './0030-run-lines.ts';

export interface Migration {
  version: number;
  sql: string;
}

export const migrations: readonly Migration[] = [
  { version: 10, sql: initial },
  { version: 20, sql: forWindow },
  { version: 30, sql: runLines },
];

export const latestVersion = migrations.at(-1)?.version ?? 0;

/** Runs the steps that are missing, all of them or none. `steps` can be given for tests. */
export function migrate(database: Database.Database, steps: readonly Migration[] = migrations): void {
  const version = Number(database.pragma('user_version', { simple: true }));
  const missing = steps.filter((step) => step.version > version);
  const last = missing.at(-1);
  if (!last) return;
  database.transaction(() => {
    for (const step of missing) database.exec(step.sql);
    database.pragma(`user_version = ${last.version}`);
  })();
}
