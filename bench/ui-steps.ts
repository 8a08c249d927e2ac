/**
 * From a step's event to the chart: from the `time` that the trainer wrote into the line (the same machine's clock) to the animation frame in which a canvas of the run
 * page looks otherwise than before, painted from an answer whose curves end at that step or behind it. The demo's own trainer, on the live page, in Chromium.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { readAllEvents } from '../main/trainer/event-tailer.ts';
import { eventsFile } from '../main/trainer/run-folder.ts';
import { inPage, openPage, requireInk, trainDemo, untilInPage, type Serve } from './ui-product.ts';

export interface StepDelays {
  /** Milliseconds, a step each, in order. */
  delays: number[];
  /** Pixels with ink a canvas at the end. */
  ink: number[];
}

interface Drawn {
  /** Milliseconds since 1970. */
  at: number;
  /** Row visits at the end of the curves. */
  x: number;
}

/** Row visits and milliseconds since 1970 of the run's steps so far. */
const stepsOf = (folder: string): { rows: number; timeMs: number }[] =>
  [...readAllEvents(eventsFile(folder))]
    .flatMap((batch) => batch.events)
    .flatMap((event) => (event.kind === 'step' ? [{ rows: event.rows, timeMs: event.time * 1000 }] : []));

/** Over `wanted` steps that the trainer makes while the page is watched; those of before the first drawing do not count. */
export async function stepDelays(browser: Browser, serve: Serve, data: string, wanted: number): Promise<StepDelays> {
  const training = await trainDemo(data, `steps-${Date.now()}`);
  const page = await openPage(browser);
  try {
    await page.goto(serve.at(`/runs/${training.id}`), { waitUntil: 'commit' });
    await untilInPage(page, 'drawn.some((drawn) => drawn.x > 0)', 120_000);
    const first = (await inPage<Drawn[]>(page, 'drawn')).find((drawn) => drawn.x > 0);
    if (!first) throw new Error('nothing was drawn');
    let steps = stepsOf(training.folder);
    const watched = (): typeof steps => steps.filter(({ timeMs }) => timeMs > first.at);
    while (watched().length < wanted) {
      await Promise.race([sleep(200), training.exited.then(() => Promise.reject(new Error('the demo was too short')))]);
      steps = stepsOf(training.folder);
    }
    // The last one may take its time; what is not drawn by then is missed.
    await sleep(2000);
    const drawn = await inPage<Drawn[]>(page, 'drawn');
    const delays = watched()
      .slice(0, wanted)
      .map(({ rows, timeMs }) => (drawn.find((each) => each.x >= rows)?.at ?? Number.POSITIVE_INFINITY) - timeMs);
    return { delays, ink: await requireInk(page, 5) };
  } finally {
    await page.context().close();
    training.end();
  }
}
