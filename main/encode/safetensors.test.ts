import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SafetensorsFile, writeSafetensors } from './safetensors.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'whetstone-'));
  file = path.join(folder, 'a.safetensors');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = () =>
  writeSafetensors(
    file,
    [
      { name: 'bytes', dtype: 'U8', shape: [3], data: Uint8Array.of(1, 2, 3) },
      { name: 'ids', dtype: 'I32', shape: [2, 2], data: Int32Array.of(1, -2, 3, 4) },
      { name: 'offsets', dtype: 'I64', shape: [2], data: BigInt64Array.of(0n, -5n) },
      { name: 'weights', dtype: 'F32', shape: [2], data: Float32Array.of(0.5, -1) },
      { name: 'none', dtype: 'I32', shape: [0, 3], data: new Int32Array(0) },
    ],
    { note: 'é' },
  );

test('what is written is read, whole and in part', async () => {
  write();
  expect(readdirSync(folder)).toEqual(['a.safetensors']);
  const tensors = await SafetensorsFile.open(file);
  expect(tensors.metadata).toEqual({ note: 'é' });
  expect(tensors.shape('ids')).toEqual([2, 2]);
  expect(await tensors.read('bytes', 'U8')).toEqual(Uint8Array.of(1, 2, 3));
  expect(await tensors.read('ids', 'I32', 1, 3)).toEqual(Int32Array.of(-2, 3));
  expect(await tensors.read('offsets', 'I64')).toEqual(BigInt64Array.of(0n, -5n));
  expect(await tensors.read('weights', 'F32')).toEqual(Float32Array.of(0.5, -1));
  expect(await tensors.read('none', 'I32')).toEqual(new Int32Array(0));
  await expect(tensors.read('ids', 'F32')).rejects.toThrow(/ids is I32, not F32/);
  await expect(tensors.read('ids', 'I32', 2, 5)).rejects.toThrow(/4 elements/);
  await expect(tensors.read('nothing', 'I32')).rejects.toThrow(/no tensor nothing/);
  await tensors.close();
});

test('every tensor is aligned to its own size', () => {
  write();
  const bytes = readFileSync(file);
  const length = Number(bytes.readBigUInt64LE());
  const header = JSON.parse(bytes.toString('utf8', 8, 8 + length)) as Record<
    string,
    { data_offsets: [number, number] }
  >;
  expect((8 + length) % 8).toBe(0);
  expect(header['offsets']!.data_offsets[0] % 8).toBe(0);
  expect(header['ids']!.data_offsets[0] % 4).toBe(0);
});

test('a shape that does not fit is a bug of the writer', () => {
  expect(() => writeSafetensors(file, [{ name: 'x', dtype: 'U8', shape: [2], data: Uint8Array.of(1) }], {})).toThrow(
    /do not fill/,
  );
  expect(readdirSync(folder)).toEqual([]);
});

test('a file cut off anywhere, or no safetensors at all, is refused', async () => {
  write();
  const bytes = readFileSync(file);
  for (let length = 0; length < bytes.length; length += 7) {
    writeFileSync(file, bytes.subarray(0, length));
    await expect(SafetensorsFile.open(file), `${length}`).rejects.toMatchObject({
      name: 'AppError',
      code: 'safetensors-broken',
    });
  }
  writeFileSync(file, 'not a tensor in sight');
  await expect(SafetensorsFile.open(file)).rejects.toMatchObject({ code: 'safetensors-broken' });
  await expect(SafetensorsFile.open(path.join(folder, 'no'))).rejects.toMatchObject({ code: 'file-enoent' });
});
