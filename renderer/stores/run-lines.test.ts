/** Lines of the table keep their identity unless something about them changed: hundreds are not rendered again because one run made a step. */
import { describe, expect, it } from 'vitest';
import type { RunRow } from '../../main/contract/window/runs.ts';
import { keepUnchanged, putChanged } from './run-lines.ts';

const line = (id: string, rows: number, state: RunRow['state'] = 'finished', lastHeardSeconds = 1): RunRow =>
  ({ id, rows, state, lastHeardSeconds }) as RunRow;
const copy = (lines: readonly RunRow[]): RunRow[] => JSON.parse(JSON.stringify(lines)) as RunRow[];

describe('lines of the runs table', () => {
  it('stay the same objects when a whole list comes again', () => {
    const before = keepUnchanged([], [line('b', 2, 'running'), line('a', 1)]);
    expect(keepUnchanged(before, copy(before))).toBe(before);
    const heardLater = copy(before).map((run) => ({ ...run, lastHeardSeconds: 9 }));
    const after = keepUnchanged(before, heardLater);
    expect(after[0]).not.toBe(before[0]);
    expect(after[1]).toBe(before[1]);
  });

  it('are put in one by one where only some were read again, at their places', () => {
    const before = keepUnchanged([], [line('c', 3), line('b', 2, 'running'), line('a', 1)]);
    const after = keepUnchanged(before, putChanged(before, [line('b', 5, 'running')]));
    expect(after.map(({ id, rows }) => [id, rows])).toEqual([
      ['c', 3],
      ['b', 5],
      ['a', 1],
    ]);
    expect([after[0], after[2]]).toEqual([before[0], before[2]]);
    expect(after[0]).toBe(before[0]);
    expect(keepUnchanged(after, putChanged(after, copy([after[1]!])))).toBe(after);
  });

  it('go when a whole list no longer has them', () => {
    const before = keepUnchanged([], [line('b', 2), line('a', 1)]);
    expect(keepUnchanged(before, copy([before[1]!])).map(({ id }) => id)).toEqual(['a']);
  });
});
