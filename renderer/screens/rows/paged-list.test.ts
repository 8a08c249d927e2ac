import { expect, test, vi } from 'vitest';
import { PagedList, pageSize } from './paged-list.ts';

const total = pageSize * 2 + 5;
const settle = () => new Promise((done) => setTimeout(done, 0));

test('fetches the pages that are looked at, each once', async () => {
  const fetch = vi.fn((from: number, count: number) =>
    Promise.resolve({
      total,
      from,
      items: Array.from({ length: Math.min(count, total - from) }, (_, index) => from + index),
    }),
  );
  const list = new PagedList<number>(fetch);
  list.need(0, 10);
  list.need(3, 40);
  await settle();
  expect(list.state().total).toBe(total);
  expect(list.at(7)).toBe(7);
  expect(list.at(pageSize)).toBeUndefined();
  list.need(pageSize - 2, total + 900);
  await settle();
  expect(list.at(total - 1)).toBe(total - 1);
  expect(list.at(total)).toBeUndefined();
  expect(fetch.mock.calls.map(([from]) => from)).toEqual([0, pageSize, 2 * pageSize]);
});

test('a page that failed is said and asked again', async () => {
  let fail = true;
  const list = new PagedList<number>((from) =>
    fail ? Promise.reject(new Error('gone')) : Promise.resolve({ total: 1, from, items: [4] }),
  );
  list.need(0, 1);
  await settle();
  expect(list.state().error?.message).toContain('gone');
  fail = false;
  list.need(0, 1);
  await settle();
  expect(list.state()).toMatchObject({ error: null, total: 1 });
  expect(list.at(0)).toBe(4);
});
