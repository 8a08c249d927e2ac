/** Encodes rows and writes them as packs, in one thread. The worker and the small case in the main thread share it. */
import path from 'node:path';
import type { BadRow, PoolRow } from '../contract/pool.ts';
import { readRow } from '../datasets/read-row.ts';
import { RowFault } from '../datasets/row-fault.ts';
import { encodeExamples } from './encode-example.ts';
import { PackBuilder } from './pack.ts';
import type { Processor } from './processor.ts';

export class RowEncoder {
  readonly #processor: Processor;
  readonly #builder: PackBuilder;
  readonly #folder: string;
  readonly #name: string;
  #packs = 0;

  /** Packs go to `<folder>/pack-<name>-<n>.safetensors`. */
  constructor(processor: Processor, folder: string, name: string) {
    this.#processor = processor;
    this.#builder = new PackBuilder(processor);
    this.#folder = folder;
    this.#name = name;
  }

  /** Rows that cannot be encoded come back. Throws AppError when a row has changed on disk or a pack cannot be written. */
  async encode(rows: readonly PoolRow[]): Promise<BadRow[]> {
    const raw = await Promise.all(rows.map(readRow));
    const bad: BadRow[] = [];
    (await encodeExamples(this.#processor, raw)).forEach((result, index) => {
      const row = rows[index];
      if (row === undefined) return;
      if (result instanceof RowFault) {
        bad.push({
          file: path.join(row.folder, 'rows.jsonl'),
          line: row.line,
          code: result.code,
          message: result.message,
        });
        return;
      }
      this.#builder.add(row, result);
      if (this.#builder.isFull) this.finish();
    });
    return bad;
  }

  /** Writes what is not written yet. */
  finish(): void {
    if (this.#builder.isEmpty) return;
    this.#builder.write(path.join(this.#folder, `pack-${this.#name}-${this.#packs++}.safetensors`));
  }
}
