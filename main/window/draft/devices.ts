/** What the built trainer can run on. Asking it takes a second (it loads its libraries), so the answer is kept as long as the program is the same. */
import { statSync } from 'node:fs';
import { z } from 'zod';
import { AppError } from '../../contract/errors.ts';
import type { Environment } from '../../paths.ts';
import { askTrainer } from '../../trainer/ask-trainer.ts';
import { locateTrainer } from '../../trainer/spawn.ts';

const describeSchema = z.object({ devices: z.array(z.object({ index: z.int(), name: z.string() })) });

const builtAnew = 'Build it anew with: npm run setup';

export class Devices {
  readonly #environment: Environment;
  #key = '';
  #cards: Promise<number> | undefined;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** How many CUDA cards the trainer sees. Throws AppError where the trainer is not built or does not answer. */
  async cards(): Promise<number> {
    const file = locateTrainer(this.#environment);
    const key = `${file} ${statSync(file).mtimeMs}`;
    if (key !== this.#key || !this.#cards) {
      this.#key = key;
      this.#cards = this.#ask();
      // A card that is busy now may answer later.
      this.#cards.catch(() => (this.#cards = undefined));
    }
    return this.#cards;
  }

  async #ask(): Promise<number> {
    const text = await askTrainer(['describe'], { environment: this.#environment });
    try {
      return describeSchema.parse(JSON.parse(text)).devices.length;
    } catch (error) {
      throw new AppError('trainer-answer', 'it answers otherwise than this version expects', builtAnew, {
        cause: error,
      });
    }
  }
}
