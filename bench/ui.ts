/**
 * `npm run bench:ui`: the window's figures, measured with the product itself: `whetstone serve` in its own process, its built window in Chromium, the demo's trainer. What
 * exactly each figure is stands at the head of ui-cold-start.ts, ui-steps.ts, ui-frames.ts, ui-bundle.ts and ui-long-run.ts. It is a browser that is measured: the desktop
 * app has the same window and main process, and Electron's own start besides.
 *
 *     node bench/ui.ts [--only cold,steps,frames,long,bundle] [--history FOLDER] [--wait SECONDS]
 *
 * --history: a data folder of 200 runs that bench/make-history.ts made with --ingest (making one takes a minute). --wait: how long other work on the machine is waited for
 * before each measurement (120); how much there was is in the JSON.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildWindow, windowFolder } from '../tools/build-window.ts';
import { ensureTrainer } from '../tools/setup/ensure-trainer.ts';
import { ingestHistory, makeHistory, usualHistory } from './make-history.ts';
import { median, report, type Figure } from './report.ts';
import { measureBundle } from './ui-bundle.ts';
import { coldStart, type ColdStart } from './ui-cold-start.ts';
import { liveFrames } from './ui-frames.ts';
import { makeLiveRun } from './ui-live-run.ts';
import { untilQuiet } from './ui-load.ts';
import { longRun } from './ui-long-run.ts';
import { openBrowser, Serve } from './ui-product.ts';
import { stepDelays } from './ui-steps.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'cold,steps,frames,long,bundle' },
    history: { type: 'string' },
    wait: { type: 'string', default: '120' },
  },
});
const only = new Set(values.only.split(','));
const rounds = 5;
const stepsWanted = 24;
const liveSteps = 3000;

const figures: Figure[] = [];
const raw: Record<string, unknown> = {};
const load: Record<string, { othersBusy: number; loadAverage: number }> = {};
const scratch = mkdtempSync(path.join(os.tmpdir(), 'whetstone-bench-'));
const say = (line: string): void => console.error(line);

async function quiet(what: string): Promise<void> {
  const othersBusy = await untilQuiet(Number(values.wait) * 1000);
  load[what] = { othersBusy, loadAverage: os.loadavg()[0] ?? Number.NaN };
  say(`${what}: others use ${Math.round(100 * othersBusy)} % of the machine`);
}

function history(): string {
  const folder = path.join(scratch, 'data');
  if (values.history === undefined) {
    say(`making a history of ${usualHistory.runs} runs`);
    makeHistory({ ...usualHistory, folder });
    ingestHistory(folder);
  } else cpSync(path.resolve(values.history), folder, { recursive: true });
  return folder;
}

async function measureColdStart(browser: Awaited<ReturnType<typeof openBrowser>>, data: string): Promise<void> {
  await quiet('cold start');
  // The first one after the runs were taken in also makes their lines of the table, which the history keeps from then on.
  const first = await coldStart(browser, data, usualHistory.runs);
  const starts: ColdStart[] = [];
  for (let round = 0; round < rounds; round += 1) starts.push(await coldStart(browser, data, usualHistory.runs));
  figures.push(
    {
      name: `usable after a cold start, ${usualHistory.runs} runs, worst of ${rounds}`,
      value: worst(starts),
      unit: 's',
      atMost: 2,
    },
    { name: 'the same, median', value: median(starts.map(({ usable }) => usable)) / 1000, unit: 's' },
    { name: 'the first one after the runs were taken in', value: first.usable / 1000, unit: 's' },
  );
  for (const part of Object.keys(first.parts) as (keyof ColdStart['parts'])[])
    figures.push({ name: `  ${part}`, value: median(starts.map(({ parts }) => parts[part])), unit: 'ms' });
  figures.push({
    name: '  processor time of the server until its address',
    value: median(starts.map((each) => each.serverProcessor)),
    unit: 'ms',
  });
  raw['coldStart'] = { first, starts };
}

const worst = (starts: readonly ColdStart[]): number => Math.max(...starts.map(({ usable }) => usable)) / 1000;

try {
  await buildWindow({ log: say });
  await ensureTrainer({ log: say });
  const browser = await openBrowser();
  try {
    if (only.has('bundle')) {
      const bundle = measureBundle(windowFolder);
      figures.push(
        { name: 'scripts, styles and page, gzipped', value: bundle.megabytes, unit: 'MB', atMost: 1.5 },
        { name: 'fonts and icon beside them', value: bundle.otherMegabytes, unit: 'MB' },
      );
      raw['bundle'] = bundle.files;
    }
    if (only.has('cold') || only.has('steps') || only.has('frames')) {
      const data = history();
      if (only.has('cold')) await measureColdStart(browser, data);
      const serve = await Serve.start(data);
      try {
        if (only.has('steps')) {
          await quiet('steps');
          const { delays, ink } = await stepDelays(browser, serve, data, stepsWanted);
          figures.push(
            {
              name: `step on the chart after its event, worst of ${delays.length}`,
              value: Math.max(...delays),
              unit: 'ms',
              atMost: 500,
            },
            { name: 'the same, median', value: median(delays), unit: 'ms' },
          );
          raw['steps'] = { delays, ink };
        }
        if (only.has('frames')) {
          const run = makeLiveRun(data, liveSteps);
          await quiet('frames');
          const frames = await liveFrames(browser, serve, data, run);
          for (const [words, of] of [
            ['at rest', frames.rest],
            ['cursor moving', frames.moving],
          ] as const)
            figures.push(
              {
                name: `live page of ${liveSteps} steps, trainer at work, ${words}`,
                value: of.perSecond,
                unit: 'frames/s',
                atLeast: 59.4,
              },
              { name: '  longest frame', value: of.worst, unit: 'ms' },
              { name: '  tasks over 50 ms in 10 s', value: of.longTasks.length, unit: '' },
              { name: '  processor that the trainer had', value: of.trainer, unit: 'cores' },
            );
          raw['frames'] = frames;
        }
      } finally {
        await serve.end();
      }
    }
    if (only.has('long')) {
      await quiet('long run');
      const long = await longRun(browser, path.join(scratch, 'long'));
      figures.push(
        {
          name: 'serve held up while a run of 100,000 steps is opened',
          value: long.opening.worst,
          unit: 'ms',
          atMost: 100,
        },
        { name: '  its page has ink after', value: long.opening.ms, unit: 'ms' },
        { name: 'serve held up while it takes that run in', value: long.taking.worst, unit: 'ms' },
        { name: '  that takes', value: long.taking.seconds, unit: 's' },
      );
      raw['longRun'] = long;
    }
  } finally {
    await browser.close();
  }
  console.log('');
  if (!report('ui', figures, { ...raw, load })) process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
