import { describe, expect, it } from 'vitest';
import { splitLikePython } from './episode-list.ts';
import { sortedLikePython } from './families.ts';
import { baseTask, hashFraction, isListed, Splits, trajectoriesOf } from './splits.ts';
import { madePool } from './testing/made-pool.ts';
import { variantOf } from './variants.ts';

// From python3: int(hashlib.md5(s.encode()).hexdigest()[:8], 16) / 0xFFFFFFFF
const fractions: [string, number][] = [
  ['', 0.8285759002502486],
  ['task-1', 0.7549852537352092],
  ['frac:task-1', 0.6694126805917855],
  ['tâche-9', 0.5115413350312834],
];

const row = (taskId: string, parts: string[] | null = null) =>
  madePool([{ taskId, family: 'Navigation', parts }]).rows[0]!;
const heldOutTask = Array.from({ length: 200 }, (_, i) => `task-${i}`).find((id) => hashFraction(id) < 0.05)!;
const trainedTask = Array.from({ length: 200 }, (_, i) => `task-${i}`).find((id) => hashFraction(id) >= 0.05)!;

describe('splits', () => {
  it.each(fractions)('the fraction of %j', (text, wanted) => expect(hashFraction(text)).toBe(wanted));

  it('a row follows its source, a chain its parts, and no parts are none', () => {
    expect(baseTask('a~2~rec')).toBe('a');
    expect(baseTask('~rec')).toBe('');
    expect(trajectoriesOf(row('a~rec'))).toEqual(['a']);
    expect(trajectoriesOf(row('chain-1', ['b', 'c']))).toEqual(['b', 'c']);
    expect(trajectoriesOf(row('chain-1~x', []))).toEqual(['chain-1']);
  });

  it('held out when any part is, kept when all are', () => {
    const splits = new Splits();
    expect(splits.isHeldOut(row(heldOutTask))).toBe(true);
    expect(splits.isHeldOut(row(`${heldOutTask}~rec`))).toBe(true);
    expect(splits.isHeldOut(row('chain-1', [trainedTask, heldOutTask]))).toBe(true);
    expect(splits.isHeldOut(row('chain-1', [trainedTask]))).toBe(false);
    const value = hashFraction('frac:a');
    expect(splits.isInFraction(row('a'), value)).toBe(false);
    expect(splits.isInFraction(row('a'), value + 1e-9)).toBe(true);
    expect(splits.isInFraction(row('a'), 1)).toBe(true);
    const ids = new Set(['a', 'b']);
    expect(isListed(row('a~rec'), ids)).toBe(true);
    expect(isListed(row('chain-1', ['a', 'b']), ids)).toBe(true);
    expect(isListed(row('chain-1', ['a', 'c']), ids)).toBe(false);
    expect(isListed(row('c'), null)).toBe(true);
  });

  it('variants', () => {
    expect(['a~rec', 'chain-a~rec', 'chain-a', 'a', 'a~rec~b', 'a-chain-b'].map(variantOf)).toEqual([
      'recovery',
      'recovery',
      'chain',
      'plain',
      'plain',
      'plain',
    ]);
  });

  it('white space and order are those of Python', () => {
    expect(splitLikePython(' a\tb\r\n\u3000c\u0085d\u001ce\u00a0f\ufeff \n')).toEqual([
      'a',
      'b',
      'c',
      'd',
      'e',
      'f\ufeff',
    ]);
    expect(splitLikePython(' \n')).toEqual([]);
    expect(sortedLikePython(['\u{1F600}', '\uff5e', 'b', 'B'])).toEqual(['B', 'b', '\uff5e', '\u{1F600}']);
  });
});
