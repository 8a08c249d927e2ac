/** Against transformers: main/encode/golden is made by native/reference/make_encoding.py. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Pool } from '../contract/pool.ts';
import { readPool } from '../datasets/read-pool.ts';
import { readRow } from '../datasets/read-row.ts';
import { encodeExamples } from './encode-example.ts';
import type { EncodedExample } from './encode-example.ts';
import { openProcessor } from './processor.ts';
import { RowFault } from '../datasets/row-fault.ts';

interface Expected {
  ids: (number | [id: number, times: number])[];
  targets: number;
  action: string;
  fallback: number;
  grids: number[][];
}

const golden = path.join(import.meta.dirname, 'golden');
const expected = JSON.parse(readFileSync(path.join(golden, 'expected.json'), 'utf8')) as Record<string, Expected[]>;
const expand = (ids: Expected['ids']): number[] =>
  ids.flatMap((id) => (typeof id === 'number' ? [id] : new Array<number>(id[1]).fill(id[0])));

let temporary: string;
let pool: Pool;
beforeAll(async () => {
  temporary = mkdtempSync(path.join(os.tmpdir(), 'whetstone-'));
  pool = await readPool([path.join(golden, 'rows')], { cacheFolder: null });
});
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

test('every row of the fixture is usable', () => {
  expect(pool.bad).toEqual([]);
  expect(pool.rows.length).toBeGreaterThanOrEqual(40);
});

describe.each(['qwen3_5', 'qwen3_vl'])('%s', (modelType) => {
  let results: EncodedExample[];
  beforeAll(async () => {
    const folder = path.join(temporary, modelType);
    cpSync(path.join(golden, 'processor'), folder, { recursive: true });
    const config = JSON.parse(readFileSync(path.join(folder, 'config.json'), 'utf8'));
    writeFileSync(path.join(folder, 'config.json'), JSON.stringify({ ...config, model_type: modelType }));
    const encoded = await encodeExamples(await openProcessor(folder), await Promise.all(pool.rows.map(readRow)));
    results = encoded.map((result) => {
      if (result instanceof RowFault) throw result;
      return result;
    });
  });

  test('ids, targets, masks and grids equal the Python ones', () => {
    const rows = expected[modelType]!;
    expect(results.length).toBe(rows.length);
    results.forEach((result, index) => {
      const row = rows[index]!;
      const name = `row ${index + 1}`;
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
