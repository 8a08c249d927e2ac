/** Services for the tests of the server: they answer at once, and count who listens. */
import { AppError } from '../contract/errors.ts';
import type { PushSink } from '../contract/window/pushes.ts';
import type { RequestInput, Handlers } from '../contract/window/requests.ts';
import type { Services } from '../window/services.ts';

export interface FakeServices extends Services {
  push: PushSink;
  subscribers: () => number;
  reported: unknown[];
  /** Of `runs.list`. */
  answer: () => unknown;
  /** How often `runs.list` was asked. */
  asked: number;
  seriesInput: RequestInput<'runs.series'>;
}

export function fakeServices(): FakeServices {
  const takers = new Set<(name: never, payload: never) => void>();
  const handlers = {
    'runs.list': () => {
      services.asked++;
      return services.answer();
    },
    'runs.rename': () => null,
    'runs.get': ({ run }: { run: string }) => {
      throw new AppError('no-such-run', `there is no run ${run}`);
    },
    'runs.stop': () => {
      throw new TypeError('a bug');
    },
    'runs.series': () => ({ x: new Float64Array([1, Number.NaN]) }),
  };
  const services: FakeServices = {
    handlers: handlers as unknown as Handlers,
    subscribe(take) {
      takers.add(take);
      return () => void takers.delete(take);
    },
    push: (name, payload) => {
      for (const take of takers) take(name as never, payload as never);
    },
    subscribers: () => takers.size,
    reported: [],
    report: (error) => void services.reported.push(error),
    answer: () => null,
    asked: 0,
    seriesInput: { runs: ['r'], metrics: ['lr'], x: 'rows', from: null, to: null, points: 600, ema: 0 },
    close: () => Promise.resolve(),
  };
  return services;
}
