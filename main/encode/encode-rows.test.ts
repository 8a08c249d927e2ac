import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Pool } from '../contract/pool.ts';
import { readPool } from '../datasets/read-pool.ts';
import { readRow } from '../datasets/read-row.ts';
import { makePng, makeRow, userMessage, writeEpisode } from '../datasets/testing/pool-fixture.ts';
import { encodeExample } from './encode-example.ts';
import { encodeRows, refuseBadRows } from './encode-rows.ts';
import { packFolder } from './pack.ts';
import { readExample, readRowNames } from './pack-reader.ts';
import { openProcessor } from './processor.ts';
import type { Processor } from './processor.ts';

const golden = path.join(import.meta.dirname, 'golden');
let processor: Processor;
let hard: Pool;
beforeAll(async () => {
  processor = await openProcessor(path.join(golden, 'processor'));
  hard = await readPool([path.join(golden, 'rows')], { cacheFolder: null });
});

let root: string;
let cacheFolder: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'whetstone-')));
  cacheFolder = path.join(root, 'cache');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const packs = () => readdirSync(packFolder(cacheFolder, processor.id)).sort();
const makePool = async (
  lines: Parameters<typeof writeEpisode>[2],
  files: Parameters<typeof writeEpisode>[3] = {},
): Promise<Pool> => {
  writeEpisode(path.join(root, 'pool'), 'e', lines, files);
  return readPool([path.join(root, 'pool')], { cacheFolder: null });
};
const manyRows = (count: number) =>
  Array.from({ length: count }, (_, index) => makeRow({ target: `{"memory": "${index}", "action": []}` }));

test('what was encoded is found again, example by example', async () => {
  const first = await encodeRows(hard.rows, processor, { cacheFolder });
  expect(first.bad).toEqual([]);
  expect(first.encoded.size).toBe(new Set(hard.rows.map(({ key }) => key)).size);
  expect(packs()).toHaveLength(1);
  for (const row of hard.rows) {
    const encoded = first.encoded.get(row.key)!;
    const direct = await encodeExample(processor, await readRow(row));
    const stored = await readExample(encoded);
    expect(stored).toMatchObject({
      key: row.key,
      ids: direct.ids,
      targetIds: direct.targetIds,
      targetPositions: direct.targetPositions,
    });
    expect(stored.columns).toEqual({ action: direct.action, field: direct.field });
    expect(stored.images).toEqual(row.images.map((image, index) => ({ ...image, grid: direct.grids[index] })));
    expect(encoded).toMatchObject({
      tokens: direct.ids.length,
      targets: direct.targetIds.length,
      imageTokens: direct.imageTokens,
    });
    expect(encoded.imageTokens).toBe(direct.ids.filter((id) => id === processor.imageTokenId).length);
    expect(encoded.actionTargets).toBe(direct.action.filter((mark) => mark === 1).length);
    expect(encoded.fallback).toBe([null, 'no-action', 'length-differs'][direct.fallback]);
  }
  const [file] = packs();
  expect((await readRowNames(path.join(packFolder(cacheFolder, processor.id), file!)))?.[0]).toBe('hard/rows.jsonl:1');
  const second = await encodeRows(hard.rows, processor, { cacheFolder });
  expect(second).toEqual(first);
  expect(packs()).toEqual([file]);
});

test('fields: memory, action, index, text and the end', async () => {
  const { rows } = await makePool([
    makeRow({ target: '{"memory": "m", "action": [{"input": {"index": 7, "text": "hello"}}]}' }),
    makeRow({ target: '\n"action"' }),
  ]);
  const example = await encodeExample(processor, await readRow(rows[0]!));
  const text = (field: number) =>
    processor.tokenizer.decode(
      [...example.targetIds].filter((_, index) => example.field[index] === field),
      false,
    );
  expect(await text(3)).toBe('7');
  expect(await text(5)).toMatch(/hello/);
  expect(await text(6)).toBe('<|im_end|>');
  expect(example.field.every((field, index) => field < 2 || example.action[index] === 1)).toBe(true);
  // Merged with the prompt's end: nothing is known but the end token.
  const merged = await encodeExample(processor, await readRow(rows[1]!));
  expect(merged).toMatchObject({ fallback: 2 });
  expect([...merged.field]).toEqual([...new Array<number>(merged.field.length - 1).fill(0), 6]);
});

test('bad rows are all listed, the others encoded', async () => {
  const png = makePng(64, 64);
  const pool = await makePool(
    [
      makeRow({ messages: [{ role: 'nobody', content: 'x' }] }),
      makeRow({ messages: userMessage('<|image_pad|>') }),
      makeRow({ messages: userMessage('<|image_pad|>', 'a.png') }),
      makeRow({ messages: userMessage('a', 'a.png'), target: '<|image_pad|>' }),
      makeRow({ messages: userMessage('<|video_pad|>') }),
      makeRow({ messages: userMessage('a', 'long.png') }),
      makeRow(),
    ],
    { 'a.png': png, 'long.png': makePng(804, 4) },
  );
  const { encoded, bad } = await encodeRows(pool.rows, processor, { cacheFolder });
  expect([...encoded.keys()]).toEqual([pool.rows[6]!.key]);
  expect(bad.map(({ line, code }) => [line, code])).toEqual([
    [1, 'chat-template'],
    [2, 'image-placeholders'],
    [3, 'image-placeholders'],
    [4, 'image-placeholders'],
    [5, 'foreign-placeholder'],
    [6, 'image-aspect'],
  ]);
  expect(bad[0]!.message).toMatch(/Nobody has the role nobody/);
  expect(() => refuseBadRows(bad, 6)).not.toThrow();
  expect(() => refuseBadRows(bad, 5)).toThrow(/6 rows cannot be used.*:1: .*and 1 more/s);
  await expect(encodeExample(processor, await readRow(pool.rows[1]!))).rejects.toMatchObject({
    name: 'AppError',
    message: expect.stringMatching(/rows\.jsonl:2: its prompt has 1 image placeholder \(.*and it has 0 images/),
  });
});

test('a row beyond the context of the model is refused, with its lengths', async () => {
  const folder = path.join(root, 'short');
  cpSync(path.join(golden, 'processor'), folder, { recursive: true });
  const config = JSON.parse(readFileSync(path.join(folder, 'config.json'), 'utf8'));
  const open = (tokens: number): Promise<Processor> => {
    config.text_config.max_position_embeddings = tokens;
    writeFileSync(path.join(folder, 'config.json'), JSON.stringify(config));
    return openProcessor(folder);
  };
  const pool = await makePool([makeRow({ target: 'word '.repeat(50), messages: userMessage('a', 'a.png') })], {
    'a.png': makePng(256, 256),
  });
  const whole = await encodeExample(processor, await readRow(pool.rows[0]!));
  const { length } = whole.ids;
  const { bad } = await encodeRows(pool.rows, await open(length - 1), { cacheFolder });
  expect(bad).toMatchObject([{ line: 1, code: 'row-context' }]);
  expect(bad[0]!.message).toBe(
    `it has ${length} tokens (64 of images, ${whole.targetIds.length} of the target) and the model's context holds ${length - 1}`,
  );
  expect(() => refuseBadRows(bad, 0)).toThrow(
    expect.objectContaining({ hint: expect.stringMatching(/Shorten.*--allow-bad 1 to train without it/) }),
  );
  expect((await encodeRows(pool.rows, await open(length), { cacheFolder })).bad).toEqual([]);
});

test('advice is for the fault, where all rows have the same', () => {
  const row = (code: string) => ({ file: '/f', line: 1, code, message: 'm' });
  const hint = (...codes: string[]): string | undefined => {
    try {
      refuseBadRows(codes.map(row), 0);
    } catch (error) {
      return (error as { hint?: string }).hint;
    }
    return undefined;
  };
  expect(hint('image-colour', 'image-format')).toBe(
    'Put an 8-bit RGB or gray PNG, JPEG or WebP in its place. Or give --allow-bad 2 to train without them.',
  );
  expect(hint('row-surrogate')).toMatch(/whole character.*--allow-bad 1 to train without it\.$/);
  expect(hint('row-surrogate', 'row-json')).toBe('Correct them. Or give --allow-bad 2 to train without them.');
});

test('worker threads give the same rows as the main thread', async () => {
  const { rows } = await makePool(manyRows(600));
  const alone = await encodeRows(rows, processor, { cacheFolder: path.join(root, 'alone'), workers: 1 });
  const seen: number[] = [];
  const threaded = await encodeRows(rows, processor, {
    cacheFolder,
    workers: 2,
    onProgress: ({ done }) => seen.push(done),
  });
  expect(packs()).toHaveLength(2);
  expect(seen.at(-1)).toBe(600);
  const shape = (result: typeof alone) => rows.map(({ key }) => ({ ...result.encoded.get(key)!, file: '', row: 0 }));
  expect(shape(threaded)).toEqual(shape(alone));
  // Only what is missing is encoded.
  const more = await makePool([...manyRows(600), makeRow({ target: 'one more' })]);
  await encodeRows(more.rows, processor, { cacheFolder });
  expect(packs()).toHaveLength(3);
});

test.each([1, 2])('cancelled with %d threads: nothing half-made is left', async (workers) => {
  const { rows } = await makePool(manyRows(600));
  const controller = new AbortController();
  const run = encodeRows(rows, processor, {
    cacheFolder,
    workers,
    signal: controller.signal,
    onProgress: ({ done }) => done > 0 && controller.abort(),
  });
  await expect(run).rejects.toMatchObject({ name: 'AppError', code: 'cancelled' });
  expect(packs().filter((file) => !/^pack-.*\.safetensors$/.test(file))).toEqual([]);
  expect((await encodeRows(rows, processor, { cacheFolder, workers })).encoded.size).toBe(600);
});

test.each([1, 2])('a row that changes meanwhile stops it, with %d threads', async (workers) => {
  const { rows } = await makePool(manyRows(600));
  const file = path.join(rows[0]!.folder, 'rows.jsonl');
  writeFileSync(file, readFileSync(file, 'utf8').replace('599', '5x9'));
  await expect(encodeRows(rows, processor, { cacheFolder, workers })).rejects.toMatchObject({
    name: 'AppError',
    code: 'row-changed',
    message: expect.stringMatching(/:600 has changed/),
  });
});

test('a broken pack is passed over and its rows are encoded again', async () => {
  const { rows } = await makePool(manyRows(3));
  await encodeRows(rows, processor, { cacheFolder });
  const file = path.join(packFolder(cacheFolder, processor.id), packs()[0]!);
  writeFileSync(file, readFileSync(file).subarray(0, -10));
  const warnings: string[] = [];
  const { encoded } = await encodeRows(rows, processor, {
    cacheFolder,
    onWarning: (message) => warnings.push(message),
  });
  expect(encoded.size).toBe(3);
  expect(warnings).toEqual([expect.stringMatching(/cannot be used/)]);
  await expect(readExample({ file, row: 0 })).rejects.toMatchObject({ code: 'safetensors-broken' });
  await expect(readExample({ ...encoded.get(rows[0]!.key)!, row: 3 })).rejects.toMatchObject({ code: 'dataset-row' });
});

test('a cache folder that cannot be made is an error before anything is encoded', async () => {
  const { rows } = await makePool(manyRows(1));
  mkdirSync(cacheFolder);
  writeFileSync(path.join(cacheFolder, 'encoded'), '');
  await expect(encodeRows(rows, processor, { cacheFolder })).rejects.toMatchObject({
    name: 'AppError',
    hint: expect.any(String),
  });
});

test('a processor that changed under running threads is noticed', async () => {
  const { rows } = await makePool(manyRows(600));
  const folder = path.join(root, 'processor');
  cpSync(path.join(golden, 'processor'), folder, { recursive: true });
  const opened = await openProcessor(folder);
  writeFileSync(path.join(folder, 'chat_template.jinja'), 'changed');
  await expect(encodeRows(rows, opened, { cacheFolder, workers: 2 })).rejects.toMatchObject({
    code: 'processor-changed',
  });
});
