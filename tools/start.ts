/**
 * `npm start`: the window as a desktop app, from the sources. Electron's binary is fetched when it is not there yet, which takes a way to the internet; where
 * it cannot be had, the same window is served to a browser instead, and that is said.
 *
 * ELECTRON_OVERRIDE_DIST_PATH names a folder with the binary; WHETSTONE_FETCH_SECONDS is how long fetching may take (120).
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { projectFolder } from '../main/paths.ts';

const modules = path.join(projectFolder, 'node_modules');
const fetchSeconds = Number(process.env['WHETSTONE_FETCH_SECONDS'] ?? 120);

/** Where the binary is once it is there. Not asked of the package itself, which would fetch it without end. */
function electronBinary(): string {
  const folder = process.env['ELECTRON_OVERRIDE_DIST_PATH'] ?? path.join(modules, 'electron/dist');
  const names: Partial<Record<NodeJS.Platform, string>> = {
    darwin: 'Electron.app/Contents/MacOS/Electron',
    win32: 'electron.exe',
  };
  return path.join(folder, names[process.platform] ?? 'electron');
}

/** Why the desktop app cannot be opened here, in words; undefined: it can. */
async function whyNoApp(): Promise<string | undefined> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 22 || (major === 22 && minor < 13))
    return `Electron Forge needs Node 22.13 or newer, and this is ${process.versions.node}: \`npm start\` takes the Node that \`npm install\` brings along`;
  if (!existsSync(path.join(modules, '@electron-forge/cli')))
    return 'Electron Forge is not installed: run `npm install`';
  if (!existsSync(electronBinary())) {
    const why = await fetchElectron();
    if (why !== undefined) return `Electron's binary could not be fetched: ${why}`;
  }
  if (process.platform === 'linux' && !process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY'])
    return 'this session has no display (neither DISPLAY nor WAYLAND_DISPLAY is set)';
  return undefined;
}

/** Fetches the binary by the package's own script. The reason when it fails or takes too long. */
async function fetchElectron(): Promise<string | undefined> {
  if (process.env['ELECTRON_OVERRIDE_DIST_PATH'] !== undefined)
    return `ELECTRON_OVERRIDE_DIST_PATH is set, and ${electronBinary()} is not there`;
  const script = path.join(modules, 'electron/install.js');
  if (!existsSync(script)) return 'the package electron is not installed: run `npm install`';
  const began = Date.now();
  const say = (): void => {
    const seconds = Math.round((Date.now() - began) / 1000);
    console.error(`fetching Electron (about 120 MB, once) ... ${seconds} s, at most ${fetchSeconds} s`);
  };
  say();
  const ticking = setInterval(say, 10_000);
  // A group of its own, so that nothing of it goes on after it was given up.
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
  const late = setTimeout(() => endGroup(child), fetchSeconds * 1000);
  const giveUp = (): never => {
    endGroup(child);
    process.exit(130);
  };
  process.once('SIGINT', giveUp);
  // null: it was ended, because it took too long.
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(1));
    child.once('exit', resolve);
  });
  process.off('SIGINT', giveUp);
  clearInterval(ticking);
  clearTimeout(late);
  if (code === null) return `no answer within ${fetchSeconds} s (WHETSTONE_FETCH_SECONDS allows more)`;
  if (code === 0 && existsSync(electronBinary())) return undefined;
  return reasonIn(said);
}

/** The first line of what the script said, which is the error's own. */
function reasonIn(said: string): string {
  const reason = said.trim().split('\n')[0] ?? 'no reason given';
  return reason.includes('fetch failed') ? `${reason} (no way to github.com from here?)` : reason;
}

function endGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** Runs in the foreground, with this terminal; answers with its exit code. Ctrl-C reaches it from the terminal itself. */
function runHere(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [...args], { cwd: projectFolder, stdio: 'inherit' });
  process.on('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(signal ? 1 : (code ?? 1)));
  });
}

const why = await whyNoApp();
if (why === undefined) {
  process.exitCode = await runHere([path.join(modules, '@electron-forge/cli/dist/electron-forge.js'), 'start']);
} else {
  console.error(`no desktop app: ${why}`);
  console.error('serving the same window to a browser instead (docs/desktop.md); open the address below\n');
  process.exitCode = await runHere([path.join(projectFolder, 'main/cli/main.ts'), 'serve']);
}
