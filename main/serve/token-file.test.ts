import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepPort, readOrMakeToken, readPort } from './token-file.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'whetstone-token-'));
  file = path.join(folder, 'token');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('makes a token once, for its owner only, and keeps it', () => {
  const before = process.umask(0);
  const token = readOrMakeToken(file);
  process.umask(before);
  expect(Buffer.from(token, 'base64url')).toHaveLength(32);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readOrMakeToken(file)).toBe(token);
  expect(readOrMakeToken(`${file}-2`)).not.toBe(token);
});

it('refuses a token that others can read', () => {
  readOrMakeToken(file);
  chmodSync(file, 0o640);
  expect(() => readOrMakeToken(file)).toThrow(/others can read the token in .* \(mode 640\)/);
});

it('refuses what is no token: a short one could be guessed', () => {
  for (const text of ['', 'short', 'a'.repeat(42), `${'a'.repeat(43)} b`, 'ä'.repeat(43)]) {
    writeFileSync(file, text, { mode: 0o600 });
    expect(() => readOrMakeToken(file)).toThrow(/holds no token/);
  }
});

it('names the file that cannot be made', () => {
  expect(() => readOrMakeToken(path.join(folder, 'no', 'token'))).toThrow(/cannot write .*no\/token/);
});

it('keeps the port, and takes nonsense for none', () => {
  expect(readPort(file)).toBeNull();
  keepPort(file, 8123);
  expect(readPort(file)).toBe(8123);
  for (const text of ['', 'x', '80', '70000', '8123.5']) {
    writeFileSync(file, text);
    expect(readPort(file)).toBeNull();
  }
});
