/**
 * Pools that were opened in the window, kept in `<data folder>/pools.json`, so that `/rows/POOL` leads to the same folders after a restart. It is a
 * convenience: a file that is damaged is put aside with a warning and a new one begun, since every pool can be opened again by its folders.
 */
import { readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { PoolEntry } from '../../contract/window/rows.ts';
import { writeFileAtomic } from '../../io/atomic-file.ts';
import { ensureFolder } from '../../paths.ts';
import { realFolder } from './pool-address.ts';

const fileSchema = z.object({
  format: z.literal('whetstone-pools'),
  version: z.literal(1),
  pools: z.array(
    z.object({
      pool: z.string().regex(/^[0-9a-f]{8,64}$/),
      folders: z.array(z.string().min(1)).min(1),
      opened: z.number(),
    }),
  ),
});

/** The list is for finding one's way back, not an archive. */
const most = 60;

export class KnownPools {
  readonly #folder: string;
  readonly #warn: (message: string) => void;
  #pools: PoolEntry[] | undefined;

  /** `warn` gets what went wrong with the file, in words for the log. */
  constructor(dataFolder: string, warn: (message: string) => void) {
    this.#folder = dataFolder;
    this.#warn = warn;
  }

  /** Last opened first. */
  get list(): readonly PoolEntry[] {
    return (this.#pools ??= this.#load());
  }

  find(pool: string): PoolEntry | undefined {
    return this.list.find((entry) => entry.pool === pool);
  }

  /** Puts a pool at the head of the list. Never throws: a list that cannot be written is warned of. */
  remember(pool: string, folders: readonly string[]): PoolEntry {
    const entry: PoolEntry = { pool, folders: folders.map(realFolder), opened: Date.now() / 1000 };
    this.#pools = [entry, ...this.list.filter((other) => other.pool !== pool)].slice(0, most);
    try {
      ensureFolder(this.#folder);
      const file = { format: 'whetstone-pools', version: 1, pools: this.#pools };
      writeFileAtomic(this.#file, `${JSON.stringify(file, null, 1)}\n`);
    } catch (error) {
      this.#warn(
        `the list of opened pools could not be kept: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    return entry;
  }

  get #file(): string {
    return path.join(this.#folder, 'pools.json');
  }

  #load(): PoolEntry[] {
    let text: string;
    try {
      text = readFileSync(this.#file, 'utf8');
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT'))
        this.#warn(`the list of opened pools cannot be read: ${String(error)}`);
      return [];
    }
    try {
      return fileSchema.parse(JSON.parse(text)).pools;
    } catch {
      const aside = `${this.#file}.damaged`;
      try {
        renameSync(this.#file, aside);
        this.#warn(`the list of opened pools was damaged; it is now ${aside}, and a new one is begun`);
      } catch {
        this.#warn(`the list of opened pools, ${this.#file}, is damaged; a new one is begun`);
      }
      return [];
    }
  }
}
