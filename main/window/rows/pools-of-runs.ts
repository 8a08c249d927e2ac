/** Pools that recorded runs were made from: a run's plan says which rows folders it was given. So the rows of a run from the command line are a click away. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { PoolEntry } from '../../contract/window/rows.ts';
import { poolAddress } from './pool-address.ts';

/** Plans are megabytes; what one looks for is among the last runs. */
const newest = 40;

export class PoolsOfRuns {
  /** Of plans that were read: they never change. */
  readonly #plans = new Map<string, RowsOfPlan>();

  /** One entry a pool, newest run first; `opened` is when its newest run was made. What cannot be read is passed over: it is a suggestion. */
  list(runsFolder: string): PoolEntry[] {
    const pools = new Map<string, PoolEntry>();
    for (const name of newestNames(runsFolder)) {
      const folder = path.join(runsFolder, name);
      const found = this.#plans.get(folder) ?? readFolders(path.join(folder, 'plan.json'));
      if (!found) continue;
      this.#plans.set(folder, found);
      const pool = poolAddress(found.folders);
      if (!pools.has(pool)) pools.set(pool, { pool, folders: [...found.folders], opened: found.time });
    }
    return [...pools.values()];
  }
}

interface RowsOfPlan {
  folders: readonly string[];
  /** Seconds since 1970. */
  time: number;
}

/** Names of run folders begin with their time. */
function newestNames(runsFolder: string): string[] {
  try {
    return readdirSync(runsFolder).sort().reverse().slice(0, newest);
  } catch {
    return [];
  }
}

/** Null: none are named (a plan made by hand, or of another recipe). */
function readFolders(file: string): RowsOfPlan | null {
  try {
    const plan = JSON.parse(readFileSync(file, 'utf8')) as unknown;
    const wanted =
      at(plan, 'output', 'meta', 'fields', 'args', 'rows_dir') ?? at(plan, 'output', 'meta', 'fields', 'rows_dir');
    const folders = (Array.isArray(wanted) ? wanted : [wanted]).filter(
      (each) => typeof each === 'string' && each !== '',
    );
    return folders.length === 0 ? null : { folders: folders as string[], time: statSync(file).mtimeMs / 1000 };
  } catch {
    return null;
  }
}

function at(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[key] : undefined),
    value,
  );
}
