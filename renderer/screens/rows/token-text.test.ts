import { expect, test } from 'vitest';
import { tokenPieces } from './token-text.ts';

const shown = (text: string) =>
  tokenPieces(text)
    .map(({ text: piece, isSign }) => (isSign ? `<${piece}>` : piece))
    .join('');

test('what cannot be seen has a sign', () => {
  expect(shown('memory')).toBe('memory');
  expect(shown(' "')).toBe('<·>"');
  expect(shown('\n\n')).toBe('<⏎⏎>');
  expect(shown('a \tb')).toBe('a<·⇥>b');
  expect(shown('')).toBe('<‥>');
});
