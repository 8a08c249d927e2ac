/**
 * Frames of a live run page: calls of requestAnimationFrame over 10 s on the page of a run with thousands of steps that goes on at the demo's pace, while the demo's
 * trainer computes on one thread at its usual priority. Once at rest, once with the cursor moving over the charts all the time. Before and after, the charts must have
 * ink, and the picture must have become another one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { processorMs } from './ui-load.ts';
import type { LiveRun } from './ui-live-run.ts';
import { inPage, openPage, requireInk, trainDemo, untilInPage, type Serve } from './ui-product.ts';

export interface Frames {
  perSecond: number;
  /** Milliseconds from one frame to the next: the longest, and how many were longer than one and a half frames. */
  worst: number;
  late: number;
  /** Milliseconds of tasks over 50 ms on the page's thread. */
  longTasks: number[];
  /** Steps that came meanwhile. */
  steps: number;
  /** Processor seconds a second that the trainer had meanwhile. */
  trainer: number;
  /** The slider's words at the end: whether the cursor was there. */
  cursor: string | null;
}

const seconds = 10;
/** Of the demo's steps. */
const stepMs = 1300;

async function measure(page: Page, run: LiveRun, pid: number, move: boolean): Promise<Frames> {
  const tasksBefore = (await inPage<unknown[]>(page, 'longTasks')).length;
  let steps = 0;
  const timer = setInterval(() => {
    run.step();
    steps += 1;
  }, stepMs);
  const busyBefore = processorMs(pid);
  try {
    const { times, cursor } = await inPage<{ times: number[]; cursor: string | null }>(
      page,
      `frames(${seconds * 1000}, ${move})`,
    );
    const busy = processorMs(pid) - busyBefore;
    const [first = 0] = times;
    const last = times.at(-1) ?? 0;
    const gaps = times.slice(1).map((time, i) => time - (times[i] ?? 0));
    return {
      perSecond: (1000 * gaps.length) / (last - first),
      worst: Math.max(...gaps),
      late: gaps.filter((gap) => gap > 25).length,
      longTasks: (await inPage<{ ms: number }[]>(page, 'longTasks')).slice(tasksBefore).map(({ ms }) => ms),
      steps,
      trainer: busy / (last - first),
      cursor,
    };
  } finally {
    clearInterval(timer);
  }
}

export async function liveFrames(
  browser: Browser,
  serve: Serve,
  data: string,
  run: LiveRun,
): Promise<{ rest: Frames; moving: Frames; ink: number[] }> {
  const training = await trainDemo(data, `frames-${Date.now()}`);
  const page = await openPage(browser);
  try {
    await page.goto(serve.at(`/runs/${run.id}`), { waitUntil: 'commit' });
    await untilInPage(page, 'drawn.some((drawn) => drawn.x > 0)');
    // The trainer has loaded its model and trains.
    await training.training;
    await sleep(1000);
    await requireInk(page, 5);
    const before = (await inPage<unknown[]>(page, 'drawn')).length;
    const rest = await measure(page, run, training.pid, false);
    const moving = await measure(page, run, training.pid, true);
    run.step();
    await untilInPage(page, `drawn.length > ${before}`, 5000);
    return { rest, moving, ink: await requireInk(page, 5) };
  } finally {
    await page.context().close();
    training.end();
  }
}
