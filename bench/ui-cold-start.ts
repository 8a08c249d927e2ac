/**
 * Cold start: from spawning `whetstone serve` (its window built before, the history in its database, the OS's caches as they are) until the runs table stands in a frame
 * with all its rows and, after that, a key that was pressed in the page has moved the current row in a frame. The page's load is part of it; the browser, which a
 * user has open, is not, but its profile is new each time: nothing is cached or compiled.
 */
import { statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { processorMs } from './ui-load.ts';
import { inPage, openPage, Serve, untilInPage } from './ui-product.ts';

/** All in milliseconds; the parts are one after the other and add up to `usable`. */
export interface ColdStart {
  usable: number;
  /** Processor time of the server until it had said its address; unlike the rest it says the same on a busy machine. */
  serverProcessor: number;
  parts: {
    /** Start of the process, modules, until the history's database is open. */
    'process start, until the history is open': number;
    /** Run folders compared with the history, events taken in, the built window checked, listening; until the address is said. */
    'folders compared, until the address is said': number;
    /** Until the window asks for the runs: page, styles, scripts, connection. */
    'page load, until the runs are asked for': number;
    'first list of the runs': number;
    'until all rows are in a frame': number;
    'until a key press is answered': number;
  };
}

interface Kept {
  calls: Record<string, { sent: number; answered: number }>;
  rowsAt: number;
  keyAt: number;
}

export async function coldStart(browser: Browser, data: string, rows: number): Promise<ColdStart> {
  const page = await openPage(browser);
  await page.addInitScript(`whetstoneBench.rowsWanted = ${rows}`);
  const serve = await Serve.start(data);
  const serverProcessor = processorMs(serve.child.pid ?? 0);
  try {
    await page.goto(serve.url, { waitUntil: 'commit' });
    await untilInPage(page, 'rowsAt !== null');
    // As a person who is in a hurry: again and again until something happens.
    const done = new AbortController();
    const answered = untilInPage(page, 'keyAt !== null').finally(() => done.abort());
    while (!done.signal.aborted) {
      await page.keyboard.press('j');
      await Promise.race([answered, sleep(50)]);
    }
    await answered;
    const { calls, rowsAt, keyAt } = await inPage<Kept>(page, 'times()');
    const list = calls['runs.list'];
    if (!list) throw new Error('the window has rows and never asked for them');
    // Written right after the database was opened.
    const openedMs = statSync(path.join(data, 'window.json')).mtimeMs;
    return {
      usable: keyAt - serve.startedMs,
      serverProcessor,
      parts: {
        'process start, until the history is open': openedMs - serve.startedMs,
        'folders compared, until the address is said': serve.readyMs - openedMs,
        'page load, until the runs are asked for': list.sent - serve.readyMs,
        'first list of the runs': list.answered - list.sent,
        'until all rows are in a frame': rowsAt - list.answered,
        'until a key press is answered': keyAt - rowsAt,
      },
    };
  } finally {
    await page.context().close();
    await serve.end();
  }
}
