import { describe, expect, it } from 'vitest';
import { splitMatches } from './log-search.ts';
import { lastLines } from './last-lines.ts';

describe('looking through a log', () => {
  it('finds every place, whatever the case', () => {
    expect(splitMatches('Step 1, step 2', 'STEP')).toEqual(['', 'Step', ' 1, ', 'step', ' 2']);
    expect(splitMatches('nothing', 'x')).toEqual(['nothing']);
    expect(splitMatches('all', '')).toEqual(['all']);
    expect(splitMatches('a a a', 'a', 2)).toEqual(['', 'a', ' ', 'a', ' a']);
    expect(splitMatches('İ x', 'x').join('')).toBe('İ x');
  });

  it('takes the last lines', () => {
    expect(lastLines('a\nb\nc\n', 2)).toBe('b\nc');
    expect(lastLines('', 2)).toBe('');
  });
});
