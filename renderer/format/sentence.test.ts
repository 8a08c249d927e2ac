import { expect, it } from 'vitest';
import { sentence } from './sentence.ts';

it.each([
  ['no base model is chosen', 'No base model is chosen.'],
  ['lr is not a number: 0.1.2', 'lr is not a number: 0.1.2.'],
  ['/data/rows is a file', '/data/rows is a file.'],
  ['initAdapter: no such folder', 'initAdapter: no such folder.'],
  ['Ends already.', 'Ends already.'],
])('%j as a sentence', (text, said) => expect(sentence(text, ['lr', 'rank'])).toBe(said));
