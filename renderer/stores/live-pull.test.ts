import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LivePull } from './live-pull.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

function setUp(takes: number) {
  let inFlight = 0;
  let most = 0;
  const starts: number[] = [];
  const take = vi.fn();
  const fail = vi.fn();
  const live = new LivePull({
    every: 250,
    take,
    fail,
    pull: async () => {
      starts.push(performance.now());
      most = Math.max(most, ++inFlight);
      await new Promise((done) => setTimeout(done, takes));
      inFlight--;
      return starts.length;
    },
  });
  return { live, starts, take, fail, most: () => most };
}

describe('LivePull', () => {
  it('starts at once, then at most four times a second, and ends with what came last', async () => {
    const { live, starts, take } = setUp(5);
    const begin = performance.now();
    for (let i = 0; i < 20; i++) {
      live.ask();
      await vi.advanceTimersByTimeAsync(50);
    }
    await vi.advanceTimersByTimeAsync(1000);
    expect(starts[0]).toBe(begin);
    for (let i = 1; i < starts.length; i++) expect(starts[i]! - starts[i - 1]!).toBeGreaterThanOrEqual(249);
    expect(starts.length).toBe(5);
    expect(take).toHaveBeenCalledTimes(starts.length);
  });

  it('never has two on the way', async () => {
    const { live, starts, most } = setUp(900);
    live.ask();
    live.ask();
    live.ask();
    await vi.advanceTimersByTimeAsync(5000);
    expect(most()).toBe(1);
    expect(starts.length).toBe(2);
  });

  it('goes on after a fault, and is silent once closed', async () => {
    const take = vi.fn();
    const fail = vi.fn();
    let calls = 0;
    const live = new LivePull({
      every: 100,
      take,
      fail,
      pull: () => (++calls === 1 ? Promise.reject(new Error('first')) : Promise.resolve(calls)),
    });
    live.ask();
    await vi.advanceTimersByTimeAsync(1);
    expect(fail).toHaveBeenCalledTimes(1);
    live.ask();
    await vi.advanceTimersByTimeAsync(200);
    expect(take).toHaveBeenCalledWith(2);
    live.ask();
    live.close();
    await vi.advanceTimersByTimeAsync(1000);
    expect(take).toHaveBeenCalledTimes(1);
  });
});
