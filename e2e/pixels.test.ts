/** Pixel values of the built trainer against those of transformers, bit for bit: every row with an image of main/encode/golden, through the encoded dataset. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Pool } from '../main/contract/pool.ts';
import { readPool } from '../main/datasets/read-pool.ts';
import { encodeRows } from '../main/encode/encode-rows.ts';
import { openProcessor } from '../main/encode/processor.ts';
import { askTrainer } from '../main/trainer/ask-trainer.ts';
import { Product, ROOT } from './product.ts';

interface ExpectedRow {
  name: string;
  /** SHA-256 of the float32 pixel values of all images of the row; null without one. */
  pixels: string | null;
}

const golden = path.join(ROOT, 'main/encode/golden');
const expected = JSON.parse(readFileSync(path.join(golden, 'expected.json'), 'utf8')) as {
  image_processor: string;
  qwen3_5: ExpectedRow[];
  qwen3_vl: ExpectedRow[];
};

let product: Product;
let pool: Pool;
beforeAll(async () => {
  product = new Product();
  pool = await readPool([path.join(golden, 'rows')], { cacheFolder: null });
});
afterAll(() => product.remove());

test('pixel values of every row equal those of transformers', async () => {
  // The variant on Pillow resizes otherwise.
  expect(expected.image_processor).toBe('Qwen2VLImageProcessor');
  const processor = await openProcessor(path.join(golden, 'processor'));
  const { encoded } = await encodeRows(pool.rows, processor, { cacheFolder: path.join(product.folder, 'cache') });
  const rows = pool.rows.filter(({ images }) => images.length > 0);
  const requests = rows.map(({ key }) => {
    const at = encoded.get(key)!;
    return JSON.stringify({ dataset: at.file, row: at.row });
  });
  const answers = (await askTrainer(['decode', '--stdin', '--threads', '1'], { input: `${requests.join('\n')}\n` }))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { sha256?: string; error?: unknown });
  const got = rows.map(({ taskId }, index) => [taskId, answers[index]?.sha256 ?? answers[index]?.error]);
  const wanted = expected.qwen3_5.filter(({ pixels }) => pixels !== null).map(({ name, pixels }) => [name, pixels]);
  expect(got).toEqual(wanted);
  expect(wanted.length).toBeGreaterThanOrEqual(36);
});

test('both architectures have one image processor', () => {
  expect(expected.qwen3_vl.map(({ pixels }) => pixels)).toEqual(expected.qwen3_5.map(({ pixels }) => pixels));
});
