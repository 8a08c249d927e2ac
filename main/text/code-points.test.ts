import { expect, test } from 'vitest';
import { compareCodePoints, countCodePoints, isBlank } from './code-points.ts';

test('characters beyond the first plane sort after all others, as in Python', () => {
  const names = [
    '\u{1f600}',
    '\uff5e',
    '\ue000',
    'a-b',
    'a',
    'a~rec',
    'B',
    '',
    '\ud7ff',
    '\u{10000}',
    'a\u{1f600}',
    'a\uffee',
  ];
  expect(names.toSorted(compareCodePoints)).toEqual([
    '',
    'B',
    'a',
    'a-b',
    'a~rec',
    'a\uffee',
    'a\u{1f600}',
    '\ud7ff',
    '\ue000',
    '\uff5e',
    '\u{10000}',
    '\u{1f600}',
  ]);
  // What the plain sort does, so that this test could fail.
  expect(['\u{1f600}', '\uff5e'].toSorted()).toEqual(['\u{1f600}', '\uff5e']);
});

test('counts code points, lone halves as one each', () => {
  expect(countCodePoints('a\u{1f600}b')).toBe(3);
  expect(countCodePoints('a\u{1f600}b', 3)).toBe(2);
  expect(countCodePoints('\ud83d\ud83d\ude00\ude00')).toBe(3);
});

test('white space is Python’s', () => {
  expect(isBlank(' \t\r\x1c\u0085\u3000')).toBe(true);
  expect(isBlank('\ufeff')).toBe(false);
});
