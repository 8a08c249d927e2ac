import { expect, it } from 'vitest';
import { shortModel } from './short-model.ts';

it('keeps the last parts of folders and hub ids', () => {
  expect(shortModel('Qwen/Qwen3.5-4B')).toBe('Qwen3.5-4B');
  expect(shortModel('Qwen/Qwen3.5-4B', 2)).toBe('Qwen/Qwen3.5-4B');
  expect(shortModel('/data/models/demo/model', 2)).toBe('demo/model');
  expect(shortModel('C:\\models\\mine\\', 1)).toBe('mine');
  expect(shortModel('/')).toBe('/');
});
