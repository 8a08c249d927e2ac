/** The product as the UI bench has it: `whetstone serve` in a process of its own, a Chromium without a window, and the demo's trainer. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { demoFlags } from '../demo/run.ts';
import { readRunFlags } from '../main/cli/run-flags.ts';
import { followEvents } from '../main/trainer/event-tailer.ts';
import { createRun, prepareRun } from '../main/trainer/launch.ts';
import { eventsFile } from '../main/trainer/run-folder.ts';
import { startTrainer } from '../main/trainer/spawn.ts';
import { findChromium } from '../tools/chromium.ts';

const project = path.join(import.meta.dirname, '..');

/** Milliseconds since 1970, finer than Date.now. */
export const clockMs = (): number => performance.timeOrigin + performance.now();

export interface LoopDelays {
  worst: number;
  /** Those over 50 ms. */
  notable: number[];
}

/** What `npm run serve` starts: a script of this project and its arguments. */
function serveScript(): string[] {
  const { scripts } = JSON.parse(readFileSync(path.join(project, 'package.json'), 'utf8')) as {
    scripts: { serve: string };
  };
  const [node, script, ...words] = scripts.serve.split(' ');
  if (node !== 'node' || script === undefined) throw new Error(`npm run serve starts something else: ${scripts.serve}`);
  return [path.join(project, script), ...words];
}

export class Serve {
  readonly child: ChildProcess;
  /** With the token. */
  readonly url: string;
  /** When it was started, and when it had said its address. */
  readonly startedMs: number;
  readonly readyMs: number;

  private constructor(made: Pick<Serve, 'child' | 'url' | 'startedMs' | 'readyMs'>) {
    this.child = made.child;
    this.url = made.url;
    this.startedMs = made.startedMs;
    this.readyMs = made.readyMs;
  }

  /** @param probed whether delays of its event loop are kept; that costs nothing worth counting, but is no part of the product. */
  static async start(data: string, probed = false): Promise<Serve> {
    const probe = probed ? ['--import', path.join(import.meta.dirname, 'ui-loop-probe.ts')] : [];
    const command = [...probe, ...serveScript(), '--port', '0', '--json'];
    const startedMs = clockMs();
    const child = spawn(process.execPath, command, {
      env: { ...process.env, WHETSTONE_DATA: data },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    const line = await new Promise<string>((resolve, reject) => {
      let printed = '';
      child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
        if (printed.includes('\n')) resolve(printed);
      });
      child.once('exit', (code) => reject(new Error(`whetstone serve ended with ${code ?? 'a signal'}`)));
    });
    const { url } = JSON.parse(line) as { url: string };
    return new Serve({ child, url, startedMs, readyMs: clockMs() });
  }

  /** An address of the window, to be opened in a page that has the token already, or with it. */
  at(place: string): string {
    const [origin, token] = this.url.split('/#');
    return `${origin ?? ''}${place}#${token ?? ''}`;
  }

  async resetDelays(): Promise<void> {
    await this.#ask('reset', false);
  }

  readDelays(): Promise<LoopDelays> {
    return this.#ask('read', true);
  }

  async end(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
  }

  async #ask(what: string, answered: boolean): Promise<LoopDelays> {
    const answer = answered ? once(this.child, 'message') : Promise.resolve([{ worst: 0, notable: [] }]);
    await new Promise<void>((resolve, reject) => this.child.send(what, (error) => (error ? reject(error) : resolve())));
    return (await answer)[0] as LoopDelays;
  }
}

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: findChromium(),
    args: ['--disable-gpu', '--no-first-run', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });

/** A page of its own profile (nothing cached), with ui-page.js in it. Errors of the page end the bench. */
export async function openPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  page.on('pageerror', (error) => {
    console.error(`the page failed: ${error.message}`);
    process.exitCode = 1;
  });
  await page.addInitScript({ path: path.join(import.meta.dirname, 'ui-page.js') });
  return page;
}

/** Of what ui-page.js keeps. */
export const inPage = <Value>(page: Page, expression: string): Promise<Value> =>
  page.evaluate(`whetstoneBench.${expression}`);

/** Waits for the first frame in which `expression` holds of what ui-page.js keeps. (Playwright's own waiting is refused by the page's content policy.) */
export async function untilInPage(page: Page, expression: string, timeoutMs = 60_000): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${timeoutMs} ms for ${expression}`)), timeoutMs);
  });
  const held = page.evaluate(`whetstoneBench.when(() => whetstoneBench.${expression})`);
  held.catch(() => undefined);
  try {
    await Promise.race([held, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Throws where a canvas of the page is blank. Gives the pixels with ink on each. */
export async function requireInk(page: Page, canvases: number): Promise<number[]> {
  const ink = await inPage<number[]>(page, 'ink()');
  if (ink.length < canvases || ink.some((pixels) => pixels < 50))
    throw new Error(
      `a chart is blank: pixels with ink are ${ink.join(', ')} on ${ink.length} canvases of at least ${canvases}`,
    );
  return ink;
}

export interface Training {
  id: string;
  folder: string;
  pid: number;
  /** Resolves with its first step. */
  training: Promise<void>;
  /** Rejects when the trainer failed. */
  exited: Promise<void>;
  end: () => void;
}

/** The demo, as `npm run demo` trains it: one thread, its own priority. */
export async function trainDemo(data: string, name: string): Promise<Training> {
  process.env['WHETSTONE_DATA'] = data;
  const { request } = readRunFlags(demoFlags(path.join(data, 'adapters', name)));
  const { folder, run } = await createRun(await prepareRun(request, { checkOutput: true }), 'cli');
  const started = await startTrainer(folder, run);
  const { child, exited } = started;
  let wanted = false;
  const over = exited.then((status) => {
    if (status !== 0 && !wanted) throw new Error(`the trainer ended with ${status}; see ${folder}`);
  });
  over.catch(() => undefined);
  return {
    id: run.id,
    folder,
    pid: started.pid,
    training: Promise.race([firstStep(folder), over]),
    exited: over,
    end() {
      wanted = true;
      if (child.exitCode === null) child.kill('SIGKILL');
    },
  };
}

async function firstStep(folder: string): Promise<void> {
  for await (const { events } of followEvents(eventsFile(folder)))
    if (events.some(({ kind }) => kind === 'step')) return;
}
