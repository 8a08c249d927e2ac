import { expect, test } from 'vitest';
import { isTruthy, JsonFault, jsonValue, parsePythonJson, scanJson } from './json-scanner.ts';

test.each([
  '{"a": [1, -2.5e3, true, null, "x\\u00e9\\n"], "b": {}}',
  '[]',
  ' "x" ',
  '{"a":1,"a":2,"__proto__":{"x":1}}',
  '-0',
  '1E+2',
])('reads %s as JSON.parse does', (text) => expect(jsonValue(scanJson(text))).toEqual(JSON.parse(text)));

test.each([
  ['{"a":1,}', 7],
  ['{"a":1', 6],
  ['{"a" 1}', 5],
  ['[1 2]', 3],
  ['"abc', 0],
  ['"a\nb"', 2],
  ['"\\x"', 1],
  ['{"a":01}', 6],
  ['{} x', 3],
  ['', 0],
  ['\ufeff{}', 0],
  ["{'a':1}", 1],
])('says where %j is wrong', (text, position) => {
  expect(() => JSON.parse(text) as unknown).toThrow();
  try {
    scanJson(text);
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(JsonFault);
    expect((error as JsonFault).position).toBe(position);
  }
});

test('takes the numbers that only Python writes', () => {
  expect(parsePythonJson('{"a": NaN, "b": [Infinity, -Infinity]}')).toEqual({ a: NaN, b: [Infinity, -Infinity] });
});

test('deep nesting is a fault, not a crash', () => {
  expect(() => scanJson('['.repeat(100_000))).toThrow(/nested/);
});

test('truth is Python’s', () => {
  expect([0, -0, '', [], {}, null, false, undefined].map(isTruthy)).toEqual(new Array(8).fill(false));
  expect([1, 'x', [0], { a: 0 }, true, NaN].map(isTruthy)).toEqual(new Array(6).fill(true));
});
