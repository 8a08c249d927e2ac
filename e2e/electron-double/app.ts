/** `app`: life of the process, its folders, and the lock of a single instance, which is a real one between two processes of the double. */
import { EventEmitter } from 'node:events';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { connect, send } from './chromium.ts';
import { record } from './record.ts';

const environment = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`electron double: ${name} is not set`);
  return value;
};

const folders = new Map<string, string>();
/** Closes a window as the app's end does: false when it would not. Windows put themselves in here. */
export const openWindows = new Set<{ close: () => void; isDestroyed: () => boolean }>();

class App extends EventEmitter {
  /** As Electron tells it: by what was started. A package's archive is `app.asar`. */
  readonly isPackaged = (process.argv[1] ?? '').includes(`app.asar${path.sep}`);
  readonly commandLine = {
    hasSwitch: (name: string): boolean =>
      process.argv.some((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`)),
  };
  ready = false;
  quitting = false;
  private readonly becomesReady: Promise<void>;

  constructor() {
    super();
    this.becomesReady = new Promise((resolve, reject) => {
      // As in Electron, what the main script does at once comes before.
      setImmediate(() => {
        if (this.quitting) return;
        connect(environment('WHETSTONE_DOUBLE_CHROMIUM'))
          .then(() => send('Target.setDiscoverTargets', { discover: true }))
          .then(() => {
            this.ready = true;
            this.emit('ready');
            resolve();
          })
          .catch(reject);
      });
    });
  }

  isReady(): boolean {
    return this.ready;
  }
  whenReady(): Promise<void> {
    return this.becomesReady;
  }
  getPath(name: string): string {
    const folder = folders.get(name) ?? path.join(environment('WHETSTONE_DOUBLE_FOLDERS'), name);
    mkdirSync(folder, { recursive: true });
    return folder;
  }
  setPath(name: string, folder: string): void {
    if (!path.isAbsolute(folder)) throw new Error('Path must be absolute');
    folders.set(name, folder);
  }
  enableSandbox(): void {
    if (this.ready) throw new Error('app.enableSandbox() can only be called before app is ready');
  }
  setAsDefaultProtocolClient(scheme: string): boolean {
    record('app.setAsDefaultProtocolClient', scheme);
    return true;
  }

  /** The first process of a profile gets it and hears of the others by files in it. */
  requestSingleInstanceLock(): boolean {
    const lock = path.join(this.getPath('userData'), 'double.lock');
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
    } catch {
      const owner = Number(readFileSync(lock, 'utf8'));
      if (isAlive(owner)) {
        writeFileSync(`${lock}.start-${process.pid}`, JSON.stringify(process.argv));
        return false;
      }
      writeFileSync(lock, String(process.pid));
    }
    process.on('exit', () => rmSync(lock, { force: true }));
    setInterval(() => this.hearOfStarts(lock), 50).unref();
    return true;
  }

  private hearOfStarts(lock: string): void {
    for (const name of readdirSync(path.dirname(lock)).filter((each) => each.startsWith('double.lock.start-'))) {
      const file = path.join(path.dirname(lock), name);
      const args = readFileSync(file, 'utf8');
      // Empty while the other one is writing it.
      if (args === '') continue;
      rmSync(file);
      this.emit('second-instance', {}, JSON.parse(args), process.cwd());
    }
  }

  quit(): void {
    if (this.quitting) return;
    const before = preventable();
    this.emit('before-quit', before);
    if (before.isPrevented()) return;
    for (const window of [...openWindows]) {
      window.close();
      if (!window.isDestroyed()) return;
    }
    this.quitting = true;
    const event = preventable();
    this.emit('will-quit', event);
    if (event.isPrevented()) this.quitting = false;
    else this.exit(0);
  }
  exit(code = 0): void {
    this.quitting = true;
    this.emit('quit', {}, code);
    // Leaves time for the windows to close in Chromium.
    setTimeout(() => process.exit(code), 50);
  }
}

/** An event whose default can be prevented by those who hear it. */
export function preventable<Fields extends object>(
  fields?: Fields,
): Fields & { isPrevented: () => boolean; preventDefault: () => void } {
  let prevented = false;
  return { ...(fields as Fields), isPrevented: () => prevented, preventDefault: () => (prevented = true) };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export const app = new App();
