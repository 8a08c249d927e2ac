/**
 * The ways in which a person has the same window: in a browser over `whetstone serve`, as the desktop app under the double of Electron, and as the real
 * app where Electron's binary is there. Each gives a Playwright page, so that one test runs on all of them.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { _electron, chromium, type BrowserContext, type Page } from 'playwright-core';
import { buildApp, buildRenderer, plainEnvironment } from './build-app.ts';
import { chromiumFlags, findChromium } from '../tools/chromium.ts';
import { startDouble, type Double, type DoubleOptions } from './double.ts';
import { ROOT } from './product.ts';

export interface TargetOptions {
  /** Kept at the end when it is given; otherwise a new one, which goes with the target. */
  dataFolder?: string;
  environment?: NodeJS.ProcessEnv;
  theme?: 'light' | 'dark';
}

export interface Target {
  readonly name: string;
  readonly dataFolder: string;
  /** Where the window's addresses begin, without a slash at the end. */
  readonly origin: () => string;
  /** Another one after restart(). */
  readonly page: Page;
  /** Ends window and main process and starts them again on the same data. The new page. */
  restart: () => Promise<Page>;
  /** Ends everything that was started, and removes what was made. Runs that were launched are left alone. */
  close: () => Promise<void>;
}

/** One running window with all that is behind it. */
interface Running {
  page: Page;
  origin: string;
  end: () => Promise<void>;
}

async function open(
  name: string,
  options: TargetOptions,
  start: (where: { dataFolder: string; scratch: string }) => Promise<Running>,
): Promise<Target> {
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'whetstone-window-'));
  const dataFolder = options.dataFolder ?? path.join(scratch, 'data');
  const remove = (): void => rmSync(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  const where = { dataFolder, scratch };
  let running: Running;
  try {
    running = await start(where);
  } catch (error) {
    remove();
    throw error;
  }
  return {
    name,
    dataFolder,
    origin: () => running.origin,
    get page() {
      return running.page;
    },
    async restart() {
      await running.end();
      running = await start(where);
      return running.page;
    },
    async close() {
      try {
        await running.end();
      } finally {
        remove();
      }
    },
  };
}

/** In a browser, over `whetstone serve`. */
export async function openServe(options: TargetOptions = {}): Promise<Target> {
  await buildRenderer();
  return open('serve', options, async ({ dataFolder, scratch }) => {
    const { url, child } = await startServe({ ...options.environment, WHETSTONE_DATA: dataFolder });
    let context: BrowserContext | undefined;
    const end = async (): Promise<void> => {
      await context?.close().catch(() => undefined);
      await endServe(child);
    };
    try {
      context = await chromium.launchPersistentContext(path.join(scratch, 'profile'), {
        executablePath: findChromium(),
        args: [...chromiumFlags],
        chromiumSandbox: process.getuid?.() !== 0,
        viewport: { width: 1440, height: 900 },
        colorScheme: options.theme ?? 'light',
      });
      const page = context.pages()[0] ?? (await context.newPage());
      await page.goto(url);
      return { page, origin: new URL(url).origin, end };
    } catch (error) {
      await end();
      throw error;
    }
  });
}

/** `whetstone serve` on loopback, on a free port or (`samePort`) on the one that its data folder had last; its address with the token. */
export async function startServe(
  environment: NodeJS.ProcessEnv,
  options: { samePort?: boolean } = {},
): Promise<{ url: string; child: ChildProcess }> {
  const port = options.samePort ? [] : ['--port', '0'];
  const child = spawn(process.execPath, [path.join(ROOT, 'main/cli/main.ts'), 'serve', ...port, '--json'], {
    env: plainEnvironment(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  let printed = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
  const line = new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
      if (printed.includes('\n')) resolve(printed);
    });
    child.once('exit', (code) => reject(new Error(`whetstone serve ended with ${code ?? 'a signal'}:\n${said}`)));
  });
  try {
    const { url } = JSON.parse((await line).split('\n')[0] ?? '') as { url: string };
    return { url, child };
  } catch (error) {
    await endServe(child);
    throw error;
  }
}

export async function endServe(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), 6000);
  await ended;
  clearTimeout(late);
}

export interface DoubleTarget extends Target {
  /** Another one after restart(). */
  readonly double: Double;
}

/** The desktop app's own main process, preload script and window, under the double of Electron. */
export async function openDouble(
  options: TargetOptions & Pick<DoubleOptions, 'appFolder' | 'args'> = {},
): Promise<DoubleTarget> {
  if (options.appFolder === undefined) await buildApp();
  let double: Double | undefined;
  const target = await open('electron double', options, async (where) => {
    double = await startDouble({ ...options, ...where });
    const { page } = double;
    await page.emulateMedia({ colorScheme: options.theme ?? 'light' });
    return { page, origin: new URL(page.url()).origin, end: () => double?.close() ?? Promise.resolve() };
  });
  return Object.defineProperties(target as DoubleTarget, { double: { get: () => double } });
}

/** Electron's binary, or null. Found by its place: asking the package for it would try to download it. */
export function electronBinary(): string | null {
  const folder = process.env['ELECTRON_OVERRIDE_DIST_PATH'] ?? path.join(ROOT, 'node_modules/electron/dist');
  const names: Partial<Record<NodeJS.Platform, string>> = {
    darwin: 'Electron.app/Contents/MacOS/Electron',
    win32: 'electron.exe',
  };
  const file = path.join(folder, names[process.platform] ?? 'electron');
  return existsSync(file) ? file : null;
}

/** The real app. Needs a display (xvfb-run gives one). For tests under `describe.skipIf(electronBinary() === null)`. */
export async function openElectron(options: TargetOptions = {}): Promise<Target> {
  const executablePath = electronBinary();
  if (executablePath === null) throw new Error("Electron's binary is not there");
  await buildApp();
  return open('Electron', options, async ({ dataFolder }) => {
    const app = await _electron.launch({
      executablePath,
      args: [ROOT, ...(process.platform === 'linux' && process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
      env: plainEnvironment({ ...options.environment, WHETSTONE_DATA: dataFolder }) as Record<string, string>,
      colorScheme: options.theme ?? 'light',
      timeout: 30_000,
    });
    const end = (): Promise<void> => app.close();
    try {
      return { page: await app.firstWindow(), origin: 'app://whetstone', end };
    } catch (error) {
      await end();
      throw error;
    }
  });
}
