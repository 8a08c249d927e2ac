/** Parts of a log, put together, are the log: whatever is in it and wherever it is cut. */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readLogPart } from './run-log.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'whetstone-log-'));
  file = path.join(folder, 'trainer.rank0.log');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** From the end to the beginning, as the window reads it. */
async function readAll(bytes: number): Promise<{ texts: string[]; starts: number[] }> {
  const texts: string[] = [];
  const starts: number[] = [];
  for (let before: number | null = null; before !== 0;) {
    const part: Awaited<ReturnType<typeof readLogPart>> = await readLogPart(file, before, bytes);
    expect(part.to).toBe(before ?? part.size);
    expect(part.to - part.from).toBeLessThanOrEqual(bytes);
    if (part.to > 0) expect(part.from).toBeLessThan(part.to);
    texts.unshift(part.text);
    starts.unshift(part.from);
    before = part.from;
  }
  return { texts, starts };
}

describe('a log in parts', () => {
  it.each([256, 257, 300, 1000, 100_000])('is whole, and cut at lines (%i bytes a part)', async (bytes) => {
    const lines = Array.from({ length: 400 }, (_, at) => `${at} ${'é😀ß→'.repeat(at % 17)} end\n`);
    writeFileSync(file, lines.join(''));
    const { texts } = await readAll(bytes);
    expect(texts.join('')).toBe(lines.join(''));
    for (const text of texts) expect(text).toMatch(/^\d+ /);
  });

  it.each([256, 259, 1001])('with lines longer than a part is cut between characters (%i bytes)', async (bytes) => {
    const text = `short\n${'😀é→a'.repeat(3000)}\nshort\n${'ß'.repeat(5000)}`;
    writeFileSync(file, text);
    const { texts } = await readAll(bytes);
    expect(texts.join('')).toBe(text);
    expect(texts.join('')).not.toContain('\ufffd');
  });

  it('of bytes that are no text comes to an end', async () => {
    writeFileSync(file, Buffer.alloc(5000, 0x80));
    const { starts } = await readAll(256);
    expect(starts[0]).toBe(0);
  });

  it('is empty where there is none, and grows', async () => {
    expect(await readLogPart(file, null, 256)).toEqual({ text: '', from: 0, to: 0, size: 0 });
    writeFileSync(file, '');
    expect(await readLogPart(file, null, 256)).toEqual({ text: '', from: 0, to: 0, size: 0 });
    appendFileSync(file, 'one\ntwo');
    expect(await readLogPart(file, null, 256)).toEqual({ text: 'one\ntwo', from: 0, to: 7, size: 7 });
    appendFileSync(file, '\nthree\n');
    expect(await readLogPart(file, 4, 256)).toEqual({ text: 'one\n', from: 0, to: 4, size: 14 });
    // Cut while it was looked at: what is there is given.
    writeFileSync(file, 'new\n');
    expect(await readLogPart(file, 14, 256)).toEqual({ text: 'new\n', from: 0, to: 4, size: 4 });
  });

  it('of gigabytes is not read whole', async () => {
    writeFileSync(file, 'first\n');
    const handle = await import('node:fs/promises').then(({ open }) => open(file, 'r+'));
    await handle.write('\nlast\n', 5e9);
    await handle.close();
    const began = performance.now();
    expect(await readLogPart(file, null, 256)).toMatchObject({ text: 'last\n', size: 5e9 + 6 });
    expect(performance.now() - began).toBeLessThan(1000);
  });

  it('that is a folder says so', async () => {
    await expect(readLogPart(folder, null, 256)).rejects.toMatchObject({ code: 'file-eisdir' });
  });
});
