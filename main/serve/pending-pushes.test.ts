import { expect, it } from 'vitest';
import { PendingPushes } from './pending-pushes.ts';

it('comes down to one push of each kind that says all of it, once', () => {
  const pending = new PendingPushes();
  expect(pending.take()).toEqual([]);
  pending.add({ push: 'job.progress', payload: { job: 'a', stage: 'one', done: 1, of: 2 } });
  pending.add({ push: 'runs.changed', payload: { runs: ['x', 'y'], list: true } });
  pending.add({ push: 'job.progress', payload: { job: 'b', stage: 'one', done: 1, of: 0 } });
  pending.add({ push: 'runs.changed', payload: { runs: ['y', 'z'], list: false } });
  pending.add({ push: 'job.progress', payload: { job: 'a', stage: 'two', done: 2, of: 2 } });
  expect(pending.take()).toEqual([
    { push: 'runs.changed', payload: { runs: ['x', 'y', 'z'], list: true } },
    { push: 'job.progress', payload: { job: 'a', stage: 'two', done: 2, of: 2 } },
    { push: 'job.progress', payload: { job: 'b', stage: 'one', done: 1, of: 0 } },
  ]);
  expect(pending.take()).toEqual([]);
});
