import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AppError } from '../contract/errors.ts';
import { fileError, writeFileAtomic } from './atomic-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'whetstone-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('writes all chunks, replaces what was there, leaves no temporary file', () => {
  const file = path.join(folder, 'a.json');
  writeFileSync(file, 'old');
  writeFileAtomic(file, 'one ', Buffer.from('two'));
  expect(readFileSync(file, 'utf8')).toBe('one two');
  expect(readdirSync(folder)).toEqual(['a.json']);
  writeFileSync(path.join(folder, 'plain'), '');
  expect(statSync(file).mode).toBe(statSync(path.join(folder, 'plain')).mode);
});

test('a folder that is not there is named with what to do', () => {
  const file = path.join(folder, 'no', 'a.json');
  expect(() => writeFileAtomic(file, 'x')).toThrow(/cannot write .*no\/a\.json.*ENOENT/);
});

test('a failed write leaves the old file and nothing else', () => {
  writeFileAtomic(path.join(folder, 'keep'), 'kept');
  // x is a file: nothing can be written below it.
  writeFileSync(path.join(folder, 'x'), '');
  expect(() => writeFileAtomic(path.join(folder, 'x', 'y'), 'z')).toThrow(AppError);
  expect(readdirSync(folder).sort()).toEqual(['keep', 'x']);
});

test('full and read-only disks get a hint of their own', () => {
  const of = (code: string) => fileError(Object.assign(new Error(code), { code }), 'write', '/x/y');
  expect(of('ENOSPC')).toHaveProperty('hint', expect.stringMatching(/full/));
  expect(of('EROFS')).toHaveProperty('hint', expect.stringMatching(/read-only/));
  expect(of('ENOSPC')).toMatchObject({ code: 'file-enospc', message: 'cannot write /x/y: ENOSPC' });
});
