import { describe, expect, it } from 'vitest';
import { countRuns } from './count-runs.ts';
import { findItems, type PaletteItem } from './find-items.ts';

const item = (text: string, note = '', group = 'Runs'): PaletteItem => ({
  ...{ id: text, group, text, note, keys: null },
  run: () => undefined,
});

describe('find or do', () => {
  const items = [item('drag-from-pooled'), item('pooled-v5', 'done'), item('Rows', '', 'Places')];

  it('finds what has all words, the ones that begin with them first', () => {
    expect(findItems(items, 'pooled').map((each) => each.text)).toEqual(['pooled-v5', 'drag-from-pooled']);
    expect(findItems(items, 'DONE pool').map((each) => each.text)).toEqual(['pooled-v5']);
    expect(findItems(items, 'places').map((each) => each.text)).toEqual(['Rows']);
    expect(findItems(items, 'nothing')).toEqual([]);
  });

  it('keeps the order and the limit without words', () => {
    expect(findItems(items, ' ', 2)).toEqual(items.slice(0, 2));
  });
});

it('counts a run that starts or stops as one at work', () => {
  const runs = (['running', 'preparing', 'stopping', 'failed', 'lost', 'finished', 'stopped'] as const).map(
    (state) => ({
      state,
    }),
  );
  expect(countRuns(runs)).toEqual({ running: 3, failed: 1, interrupted: 1, all: 7 });
});
