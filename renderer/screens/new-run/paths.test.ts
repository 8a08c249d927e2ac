import { expect, it } from 'vitest';
import { shortPath } from './paths.ts';

it('shows paths from the rows folder on', () => {
  expect(shortPath('/rows/ep-1/rows.jsonl', ['/other', '/rows/'])).toBe('ep-1/rows.jsonl');
  expect(shortPath('/rows-2/ep-1/rows.jsonl', ['/rows', ''])).toBe('ep-1/rows.jsonl');
});
