import { expect, test } from 'vitest';
import { emptyFilter, rowFilterSchema } from '../../../main/contract/window/rows.ts';
import { filterOf, filterQuery, isFiltered } from './filter-address.ts';

test('a filter comes back from the address as it was', () => {
  const filter = {
    text: 'slider & 50%2C',
    families: ['Drag & gesture', 'a,b', '100 %', '%2C'],
    variants: ['plain'],
    operations: ['', 'click'],
    episode: 'ep (2)',
  };
  expect(filterOf(filterQuery(filter))).toEqual(filter);
  expect(rowFilterSchema.parse(filterOf(filterQuery(filter)))).toEqual(filter);
});

test('no filter leaves nothing in the address', () => {
  expect(filterOf(filterQuery(emptyFilter))).toEqual(emptyFilter);
  expect(Object.values(filterQuery(emptyFilter)).filter((entry) => entry !== undefined)).toEqual([]);
  expect(isFiltered(emptyFilter)).toBe(false);
  expect(isFiltered({ ...emptyFilter, operations: [''] })).toBe(true);
});
