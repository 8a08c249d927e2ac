import { describe, expect, it } from 'vitest';
import { lastLines, shortLine } from './last-lines.ts';

describe('the end of a log', () => {
  it('is its last whole lines', () => expect(lastLines('a\nb\nc\n', 2)).toBe('b\nc'));

  it('shows records without the digits that nobody reads', () =>
    expect(shortLine('{"rows":50,"of":1170,"ce":0.45661201611693514,"lr":0.0006545084971874737}')).toBe(
      'rows=50 of=1170 ce=0.4566 lr=0.0006545',
    ));

  it('leaves every other line as it was written', () => {
    expect(shortLine('20:17:31.462 [0] training on cpu')).toBe('20:17:31 training on cpu');
    for (const line of ['{"rows":50,"of', 'error: no memory left', '{"adapter":"rest"}'])
      expect(shortLine(line)).toBe(line);
  });
});
