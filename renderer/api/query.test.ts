import { expect, it } from 'vitest';
import { CallError } from './call-error.ts';
import { Query } from './query.ts';

type Input = { run: string };
function make(): {
  query: Query<'runs.get'>;
  asked: { input: Input; settle: (value: unknown) => void; fail: (error: unknown) => void }[];
  seen: () => unknown[];
} {
  const asked: ReturnType<typeof make>['asked'] = [];
  const query = new Query<'runs.get'>(
    (_name, input) =>
      new Promise((settle, fail) => asked.push({ input, settle: settle as (value: unknown) => void, fail })),
  );
  return { query, asked, seen: () => [query.state().data, query.state().error?.code ?? null, query.state().loading] };
}
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

it('asks once for the same question', async () => {
  const { query, asked, seen } = make();
  query.want('a', 'runs.get', { run: 'a' });
  query.want('a', 'runs.get', { run: 'a' });
  expect(asked).toHaveLength(1);
  expect(seen()).toEqual([null, null, true]);
  asked[0]!.settle('A');
  await turn();
  expect(seen()).toEqual(['A', null, false]);
});

it('drops the answer to an earlier question, whichever comes first', async () => {
  const { query, asked, seen } = make();
  query.want('a', 'runs.get', { run: 'a' });
  query.want('b', 'runs.get', { run: 'b' });
  asked[1]!.settle('B');
  await turn();
  asked[0]!.settle('A');
  await turn();
  expect(seen()).toEqual(['B', null, false]);
  expect(query.state().dataKey).toBe('b');
});

it('is not starved by reloads that come faster than answers', async () => {
  const { query, asked, seen } = make();
  query.want('a', 'runs.get', { run: 'a' });
  for (let push = 0; push < 10; push++) query.reload();
  expect(asked).toHaveLength(1);
  asked[0]!.settle('old');
  await turn();
  expect(seen()).toEqual(['old', null, true]);
  expect(asked).toHaveLength(2);
  asked[1]!.settle('new');
  await turn();
  expect(seen()).toEqual(['new', null, false]);
  expect(asked).toHaveLength(2);
});

it('keeps the data when asking anew fails, and forgets the fault when it succeeds', async () => {
  const { query, asked, seen } = make();
  query.want('a', 'runs.get', { run: 'a' });
  asked[0]!.settle('A');
  await turn();
  query.reload();
  asked[1]!.fail(new CallError({ code: 'no-such-run', message: 'gone', hint: null }));
  await turn();
  expect(seen()).toEqual(['A', 'no-such-run', false]);
  query.reload();
  expect(seen()).toEqual(['A', 'no-such-run', true]);
  asked[2]!.settle('B');
  await turn();
  expect(seen()).toEqual(['B', null, false]);
});

it('takes a fault that is no refusal for one of the window', async () => {
  const { query, asked, seen } = make();
  query.want('a', 'runs.get', { run: 'a' });
  asked[0]!.fail(new TypeError('x'));
  await turn();
  expect(seen()).toEqual([null, 'internal', false]);
});

it('hears nothing after it was stopped, and can begin again', async () => {
  const { query, asked, seen } = make();
  query.want('a', 'runs.get', { run: 'a' });
  query.stop();
  query.reload();
  asked[0]!.settle('A');
  await turn();
  expect(seen()).toEqual([null, null, false]);
  query.want('a', 'runs.get', { run: 'a' });
  asked[1]!.settle('A');
  await turn();
  expect(seen()).toEqual(['A', null, false]);
});
