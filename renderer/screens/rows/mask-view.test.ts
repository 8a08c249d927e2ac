import { expect, test } from 'vitest';
import { fieldCounts, maskCounts, maskViews, maskWords, nextView, tokenLook } from './mask-view.ts';

const tokens = {
  supervised: Uint8Array.from([0, 0, 1, 1, 1, 1]),
  action: Uint8Array.from([0, 0, 0, 0, 1, 1]),
  field: Uint8Array.from([255, 255, 0, 1, 2, 6]),
  fields: ['other', 'memory', 'action', 'index', 'coordinates', 'text', 'end'],
};

test('each view shows its mask', () => {
  const looks = maskViews.map((view) =>
    [...tokens.supervised].map((_, index) => tokenLook(tokens, index, view)).join(' '),
  );
  expect(looks).toEqual([
    'prompt prompt supervised supervised action action',
    'prompt prompt off off action action',
    'prompt prompt changed changed off off',
  ]);
});

test('views go round', () => {
  expect(maskViews.map(nextView)).toEqual(['action', 'difference', 'all']);
});

test('counts are of supervised tokens', () => {
  expect(maskCounts(tokens)).toEqual({ supervised: 4, action: 2 });
  const counts = fieldCounts(tokens);
  expect(counts.map(({ name, tokens: of, action }) => [name, of, action])).toEqual([
    ['other', 1, 0],
    ['memory', 1, 0],
    ['action', 1, 1],
    ['end', 1, 1],
  ]);
  expect(counts.reduce((sum, { tokens: of }) => sum + of, 0)).toBe(maskCounts(tokens).supervised);
});

test('masks in words', () => {
  expect(maskWords(tokens, 0, false)).toBe('prompt, not trained');
  expect(maskWords(tokens, 2, false)).toBe('supervised, not action');
  expect(maskWords(tokens, 4, false)).toBe('supervised, action');
  expect(maskWords(tokens, 4, true)).toBe('supervised, action by fallback');
});
