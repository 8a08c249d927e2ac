import { describe, expect, it } from 'vitest';
import { dashOf, formatSlots, freeSlot, hueOf, parseSlots, repeatsHue } from './identity.ts';

describe('identity of runs', () => {
  it('gives hue and dash that differ among 24', () => {
    const seen = new Set(Array.from({ length: 24 }, (_, slot) => `${hueOf(slot)} ${dashOf(slot).join(' ')}`));
    expect(seen.size).toBe(24);
    expect(hueOf(8)).toBe('--id-1');
    expect(repeatsHue(7)).toBe(false);
    expect(repeatsHue(8)).toBe(true);
  });

  it('takes the lowest free slot', () => {
    expect(freeSlot([])).toBe(0);
    expect(freeSlot([0, 2])).toBe(1);
  });

  it('stays with a run through the address', () => {
    const slots = new Map([
      ['a', 0],
      ['c', 2],
      ['d', 1],
    ]);
    const { runs, hues } = formatSlots(slots);
    expect(runs).toBe('a,c,d');
    expect(hues).toBe('1,3,2');
    expect(parseSlots(runs, hues)).toEqual(slots);
    expect(
      formatSlots(
        new Map([
          ['a', 0],
          ['b', 1],
        ]),
      ).hues,
    ).toBeUndefined();
    expect(parseSlots('a,b', undefined)).toEqual(
      new Map([
        ['a', 0],
        ['b', 1],
      ]),
    );
  });

  it('never gives one slot twice, whatever the address says', () => {
    expect(parseSlots('a,b,c', '2,2,x')).toEqual(
      new Map([
        ['a', 1],
        ['b', 0],
        ['c', 2],
      ]),
    );
    expect(parseSlots(undefined, '1')).toEqual(new Map());
    expect(parseSlots('a,a', '')).toEqual(new Map([['a', 0]]));
  });
});
