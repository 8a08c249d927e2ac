/** Processors that rows are shown with. Opening one takes a third of a second and 135 MB, so the last two stay. */
import { statSync } from 'node:fs';
import path from 'node:path';
import { openProcessor, type Processor } from '../../encode/processor.ts';

const kept = 2;
const files = [
  ...['config.json', 'tokenizer.json', 'tokenizer_config.json', 'chat_template.jinja', 'chat_template.json'],
  ...['preprocessor_config.json', 'processor_config.json'],
];

export class Processors {
  readonly #opened = new Map<string, Promise<Processor>>();

  /** Throws AppError. Files that were changed meanwhile are read anew. */
  async open(folder: string): Promise<Processor> {
    const key = JSON.stringify([folder, files.map((file) => identity(path.join(folder, file)))]);
    const processor = this.#opened.get(key) ?? openProcessor(folder);
    this.#opened.delete(key);
    this.#opened.set(key, processor);
    for (const oldest of this.#opened.keys()) {
      if (this.#opened.size <= kept) break;
      this.#opened.delete(oldest);
    }
    try {
      return await processor;
    } catch (error) {
      this.#opened.delete(key);
      throw error;
    }
  }
}

function identity(file: string): [number, number, number] | null {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats ? [stats.size, stats.mtimeMs, stats.ino] : null;
}
