/**
 * A run of 100,000 steps and 800,000 row visits (130 MB of events, 19 MB of plan): how long `whetstone serve` does not answer at a time (delays of its event loop) while
 * it takes the run into the history, and while its page is opened for the first time; and how long that page takes until its charts have ink.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { makeHistory, usualHistory } from './make-history.ts';
import { clockMs, inPage, openPage, requireInk, Serve, untilInPage, type LoopDelays } from './ui-product.ts';

export interface LongRun {
  taking: LoopDelays & { seconds: number };
  opening: LoopDelays & { ms: number };
  ink: number[];
}

export async function longRun(browser: Browser, data: string): Promise<LongRun> {
  makeHistory({ ...usualHistory, folder: data, runs: 1, steps: 100_000, visits: 8, logs: 2000 });
  const [id = ''] = readdirSync(path.join(data, 'runs'));
  const taking = await take(browser, data);
  // A new process: it has nothing of the run in memory.
  const serve = await Serve.start(data, true);
  const page = await openPage(browser);
  try {
    await sleep(1500);
    await serve.resetDelays();
    const began = clockMs();
    await page.goto(serve.at(`/runs/${id}`), { waitUntil: 'commit' });
    await untilInPage(page, 'drawn.some((drawn) => drawn.x > 0)', 120_000);
    const drawn = await inPage<{ at: number; x: number }[]>(page, 'drawn');
    await sleep(1000);
    const delays = await serve.readDelays();
    const ms = (drawn.find((each) => each.x > 0)?.at ?? Number.NaN) - began;
    return { taking, opening: { ...delays, ms }, ink: await requireInk(page, 5) };
  } finally {
    await page.context().close();
    await serve.end();
  }
}

/** Until the list shows the run as finished. */
async function take(browser: Browser, data: string): Promise<LongRun['taking']> {
  const serve = await Serve.start(data, true);
  const page = await openPage(browser);
  try {
    await page.goto(serve.url, { waitUntil: 'commit' });
    await page.locator('tr[data-run]').getByText('800,000 rows').waitFor({ timeout: 180_000 });
    const seconds = (clockMs() - serve.startedMs) / 1000;
    return { ...(await serve.readDelays()), seconds };
  } finally {
    await page.context().close();
    await serve.end();
  }
}
