/** The desktop app under the double of Electron: a Chromium, and the app's own main process in plain Node, both ended whatever happens. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { plainEnvironment } from './build-app.ts';
import { chromiumFlags, findChromium } from '../tools/chromium.ts';
import type { Operations } from './electron-double/control.ts';
import { ROOT } from './product.ts';

export interface DoubleOptions {
  dataFolder: string;
  /** For the browser's profile and what the app keeps in the system's places. */
  scratch: string;
  /** With package.json, whose `main` is started: the repository, or a package's app.asar unpacked to a folder of that name. */
  appFolder?: string;
  args?: readonly string[];
  environment?: NodeJS.ProcessEnv;
  theme?: 'light' | 'dark';
}

type Answer<Name extends keyof Operations> = Awaited<ReturnType<Operations[Name]>>;

/** A running app. */
export class Double {
  readonly page: Page;
  readonly process: ChildProcess;
  private readonly chromium: ChildProcess;
  private readonly browser: Browser;
  private next = 1;

  constructor(page: Page, running: ChildProcess, chromiumProcess: ChildProcess, browser: Browser) {
    this.page = page;
    this.process = running;
    this.chromium = chromiumProcess;
    this.browser = browser;
  }

  /** Does what a person or the system would (e2e/electron-double/control.ts). */
  control<Name extends keyof Operations>(name: Name, value?: Parameters<Operations[Name]>[0]): Promise<Answer<Name>> {
    return new Promise((resolve, reject) => {
      const id = this.next++;
      const take = (message: { id: number; answer?: unknown; error?: string }): void => {
        if (message.id !== id) return;
        this.process.off('message', take);
        if (message.error === undefined) resolve(message.answer as Answer<Name>);
        else reject(new Error(message.error));
      };
      this.process.on('message', take);
      this.process.send({ id, name, value });
    });
  }

  /** Arguments of every call of the system by that name, `shell.openExternal` or so. */
  async calls(name: string): Promise<unknown[][]> {
    return (await this.control('calls')).filter((call) => call[0] === name).map((call) => call.slice(1));
  }

  /** As the menu's Quit. The exit code. */
  async quit(): Promise<number | null> {
    const ended = once(this.process, 'exit');
    this.process.send({ id: 0, name: 'quit' });
    const [code] = (await ended) as [number | null];
    return code;
  }

  async close(): Promise<void> {
    await endAll(this.process, this.browser, this.chromium);
  }
}

/** Without a Chromium: a second start that finds the first one, or a start that ends by itself. */
export function spawnDouble(options: DoubleOptions, chromiumAddress = 'ws://127.0.0.1:9/none'): ChildProcess {
  const { dataFolder, scratch, appFolder = ROOT, args = [], theme = 'light' } = options;
  const { main } = JSON.parse(readFileSync(path.join(appFolder, 'package.json'), 'utf8')) as { main: string };
  const register = pathToFileURL(path.join(ROOT, 'e2e/electron-double/register.ts')).href;
  return spawn(process.execPath, ['--import', register, path.join(appFolder, main), ...args], {
    cwd: scratch,
    env: plainEnvironment({
      WHETSTONE_DATA: dataFolder,
      WHETSTONE_DOUBLE_CHROMIUM: chromiumAddress,
      WHETSTONE_DOUBLE_FOLDERS: path.join(scratch, 'system'),
      WHETSTONE_DOUBLE_THEME: theme,
      ...options.environment,
    }),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

/** Starts the app and waits for its window. */
export async function startDouble(options: DoubleOptions): Promise<Double> {
  const chromiumProcess = spawn(
    findChromium(),
    [
      ...chromiumFlags,
      ...['--headless', '--remote-debugging-port=0', `--user-data-dir=${path.join(options.scratch, 'profile')}`],
      'about:blank',
    ],
    // A group of its own, since what is found may be a script around the browser.
    { stdio: ['ignore', 'ignore', 'pipe'], detached: true },
  );
  let running: ChildProcess | undefined;
  let browser: Browser | undefined;
  try {
    const address = await debuggerAddress(chromiumProcess);
    running = spawnDouble(options, address);
    browser = await chromium.connectOverCDP(address);
    const page = await firstWindow(browser, running);
    return new Double(page, running, chromiumProcess, browser);
  } catch (error) {
    await endAll(running, browser, chromiumProcess);
    throw error;
  }
}

function debuggerAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
      const address = /DevTools listening on (ws:\S+)/.exec(said)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`Chromium ended before it was ready:\n${said}`)));
  });
}

async function firstWindow(browser: Browser, running: ChildProcess): Promise<Page> {
  const isOver = (): boolean => running.exitCode !== null || running.signalCode !== null;
  const latest = Date.now() + 20_000;
  while (!isOver() && Date.now() < latest) {
    const page = browser
      .contexts()
      .flatMap((context) => context.pages())
      .find((each) => each.url().includes('.double.localhost'));
    if (page) return page;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(
    isOver() ? `the main process ended with ${running.exitCode ?? running.signalCode ?? ''}` : 'no window opened',
  );
}

async function endAll(
  running: ChildProcess | undefined,
  browser: Browser | undefined,
  chromiumProcess: ChildProcess,
): Promise<void> {
  const isOver = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;
  if (running && !isOver(running)) {
    const ended = once(running, 'exit');
    const late = setTimeout(() => running.kill('SIGKILL'), 6000);
    if (running.connected) running.send({ id: 0, name: 'quit' });
    else running.kill('SIGKILL');
    await ended;
    clearTimeout(late);
  }
  await browser?.close().catch(() => undefined);
  if (chromiumProcess.pid !== undefined && !isOver(chromiumProcess)) {
    const ended = once(chromiumProcess, 'exit');
    endGroup(chromiumProcess.pid, 'SIGTERM');
    const late = setTimeout(() => endGroup(chromiumProcess.pid ?? 0, 'SIGKILL'), 5000);
    await ended;
    clearTimeout(late);
  }
  // The script around the browser may be gone before the browser is.
  if (chromiumProcess.pid !== undefined) endGroup(chromiumProcess.pid, 'SIGKILL');
}

function endGroup(group: number, signal: NodeJS.Signals): void {
  try {
    if (group > 1) process.kill(-group, signal);
  } catch {
    // Nobody is left in it.
  }
}
