/** Against transformers: main/encode/golden is made by native/reference/make_encoding.py. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Pool } from '../contract/pool.ts';
import { readPool } from '../datasets/read-pool.ts';
import { readRow } from '../datasets/read-row.ts';
import { encodeExamples } from './encode-example.ts';
import type { EncodedExample } from './encode-example.ts';
import { encodeRows } from './encode-rows.ts';
import { openProcessor } from './processor.ts';
import type { Processor } from './processor.ts';
import { hintFor } from '../datasets/row-hints.ts';
import { RowFault } from '../datasets/row-fault.ts';

const rowSchema = z.object({
  name: z.string(),
  ids: z.array(z.union([z.number(), z.tuple([z.number(), z.number()])])),
  targets: z.number(),
  action: z.string(),
  fallback: z.number(),
  grids: z.array(z.array(z.number())),
});
type ExpectedRow = z.infer<typeof rowSchema>;
const expectedSchema = z.object({
  image_processor: z.string(),
  traps: z.record(z.string(), z.array(z.string()).min(1)),
  refused: z.array(z.object({ name: z.string(), code: z.string(), python: z.string() })),
  qwen3_5: z.array(rowSchema),
  qwen3_vl: z.array(rowSchema),
});

const golden = path.join(import.meta.dirname, 'golden');
const expected = expectedSchema.parse(JSON.parse(readFileSync(path.join(golden, 'expected.json'), 'utf8')));
const expand = (ids: ExpectedRow['ids']): number[] =>
  ids.flatMap((id) => (typeof id === 'number' ? [id] : new Array<number>(id[1]).fill(id[0])));
/** Reading and encoding with one of the architectures, whose processor folders differ in config.json's model_type alone. */
async function openAs(modelType: string): Promise<Processor> {
  const folder = path.join(temporary, modelType);
  cpSync(path.join(golden, 'processor'), folder, { recursive: true });
  const config = JSON.parse(readFileSync(path.join(folder, 'config.json'), 'utf8'));
  writeFileSync(path.join(folder, 'config.json'), JSON.stringify({ ...config, model_type: modelType }));
  return openProcessor(folder);
}

let temporary: string;
let pool: Pool;
beforeAll(async () => {
  temporary = mkdtempSync(path.join(os.tmpdir(), 'whetstone-'));
  pool = await readPool([path.join(golden, 'rows')], { cacheFolder: null });
});
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

test('every row of the fixture is usable', () => {
  expect(pool.bad).toEqual([]);
  expect(pool.rows.length).toBeGreaterThanOrEqual(80);
});

test('every trap has its row, and the reference was the one whose pixels count', () => {
  const names = new Set(pool.rows.map(({ taskId }) => taskId));
  expect(Object.keys(expected.traps).length).toBeGreaterThanOrEqual(34);
  for (const [trap, rows] of Object.entries(expected.traps))
    for (const name of rows) expect(names, trap).toContain(name);
  // The variant on Pillow resizes otherwise; the name differs.
  expect(expected.image_processor).toBe('Qwen2VLImageProcessor');
});

test('what the two architectures split differently is told apart', () => {
  const differ = expected.qwen3_5.filter((row, index) => !isDeepStrictEqual(row, expected.qwen3_vl[index]));
  expect(differ.map(({ name }) => name)).toEqual(expect.arrayContaining(['text thai', 'text hindi']));
});

test('what cannot be encoded is refused, at its line and by its reason', async () => {
  const refused = await readPool([path.join(golden, 'refused')], { cacheFolder: null });
  const { bad } = await encodeRows(refused.rows, await openAs('qwen3_5'), {
    cacheFolder: path.join(temporary, 'cache'),
  });
  const found = [...refused.bad, ...bad].sort((a, b) => a.line - b.line);
  expect(found.map(({ line, code }) => [line, code])).toEqual(
    expected.refused.map(({ code }, index) => [index + 1, code]),
  );
  for (const { file, message, code } of found) {
    expect(file).toBe(path.join(golden, 'refused', 'hard', 'rows.jsonl'));
    expect(message.length, code).toBeGreaterThan(10);
    expect(hintFor(code), code).toBeDefined();
  }
});

describe.each(['qwen3_5', 'qwen3_vl'] as const)('%s', (modelType) => {
  let results: EncodedExample[];
  beforeAll(async () => {
    const encoded = await encodeExamples(await openAs(modelType), await Promise.all(pool.rows.map(readRow)));
    results = encoded.map((result) => {
      if (result instanceof RowFault) throw result;
      return result;
    });
  });

  test('ids, targets, masks and grids equal the Python ones', () => {
    const rows = expected[modelType];
    expect(results.length).toBe(rows.length);
    results.forEach((result, index) => {
      const row = rows[index]!;
      const { name } = row;
      expect(pool.rows[index]!.taskId).toBe(name);
      expect([...result.ids], name).toEqual(expand(row.ids));
      expect(result.targetIds.length, name).toBe(row.targets);
      expect([...result.action].join(''), name).toBe(row.action);
      expect(result.fallback, name).toBe(row.fallback);
      expect(result.grids, name).toEqual(row.grids);
    });
  });

  test('targets are the last ids, each scored one position before itself', () => {
    for (const { ids, targetIds, targetPositions } of results) {
      expect([...targetIds]).toEqual([...ids.slice(-targetIds.length)]);
      expect(targetPositions.at(-1)).toBe(ids.length - 2);
      expect(targetPositions[0]).toBe(ids.length - targetIds.length - 1);
    }
  });
});
