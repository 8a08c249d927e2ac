/**
 * The window: sandboxed, shown when it has something to show and on its background until then, where it was the last time. It stays on our page: links to
 * the web open in the user's browser, everything else is refused.
 */
import path from 'node:path';
import { app, BrowserWindow, dialog, nativeTheme, screen, session, shell } from 'electron';
import { goChannel } from './channels.ts';
import { originOf } from './ipc.ts';
import { readWindowState, writeWindowState } from './window-state.ts';

/** --bg-0 of renderer/styles/tokens.css: what stands before the page does. */
const background = { dark: '#0e1113', light: '#eceeef' } as const;
const currentBackground = (): string => (nativeTheme.shouldUseDarkColors ? background.dark : background.light);

export interface WindowOptions {
  /** Where the page comes from: `app://whetstone`, or Vite's development server. */
  origin: string;
  /** `/runs` */
  address: string;
}

export function openWindow({ origin, address }: WindowOptions): BrowserWindow {
  const stateFile = path.join(app.getPath('userData'), 'window.json');
  const { maximized, ...bounds } = readWindowState(
    stateFile,
    screen.getAllDisplays().map((display) => display.workArea),
  );
  const window = new BrowserWindow({
    ...bounds,
    minWidth: 960,
    minHeight: 600,
    show: false,
    title: 'Whetstone',
    autoHideMenuBar: true,
    backgroundColor: currentBackground(),
    webPreferences: {
      preload: path.join(import.meta.dirname, 'preload.cjs'),
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      // A chart that is looked at on another screen goes on while the window is behind another one.
      backgroundThrottling: false,
    },
  });
  if (maximized) window.maximize();
  window.once('ready-to-show', () => window.show());
  keepPlace(window, stateFile);
  keepToOurPage(window, origin);
  keepTheme(window);
  reviveAfterCrash(window);
  window.loadURL(origin + address).catch((error: unknown) => {
    if (window.isDestroyed()) return;
    console.error(error);
    dialog.showErrorBox(
      'The window could not be loaded',
      `${error instanceof Error ? error.message : String(error)}\n\nRuns are not affected.`,
    );
  });
  return window;
}

/** Brings a window to the front, and to `address` where one is given. */
export function showWindow(window: Electron.BrowserWindow, address?: string): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
  if (address !== undefined) window.webContents.send(goChannel, address);
}

/** Denies what a page can ask the system for, but for writing to the clipboard, which copying a link or a command needs. */
export function restrictPermissions(origin: string): void {
  const allowed = (permission: string, url: string): boolean =>
    permission === 'clipboard-sanitized-write' && originOf(url) === origin;
  session.defaultSession.setPermissionRequestHandler((_contents, permission, answer, details) =>
    answer(allowed(permission, details.requestingUrl)),
  );
  session.defaultSession.setPermissionCheckHandler((_contents, permission, url) => allowed(permission, url));
}

function keepPlace(window: BrowserWindow, file: string): void {
  let waiting: NodeJS.Timeout | undefined;
  const write = (): void => {
    clearTimeout(waiting);
    if (!window.isDestroyed()) writeWindowState(file, { ...window.getNormalBounds(), maximized: window.isMaximized() });
  };
  // Also while it is open: the end of a session may leave no time.
  const later = (): void => {
    clearTimeout(waiting);
    waiting = setTimeout(write, 1000);
  };
  window.on('resize', later);
  window.on('move', later);
  window.on('close', write);
  window.on('closed', () => clearTimeout(waiting));
}

function keepToOurPage(window: BrowserWindow, origin: string): void {
  const openOutside = (url: string): void => {
    if (originOf(url).startsWith('https://')) void shell.openExternal(url);
  };
  window.webContents.setWindowOpenHandler(({ url }) => {
    openOutside(url);
    return { action: 'deny' };
  });
  window.webContents.on('will-navigate', (event) => {
    if (originOf(event.url) === origin) return;
    event.preventDefault();
    openOutside(event.url);
  });
  window.webContents.on('will-attach-webview', (event) => event.preventDefault());
}

function keepTheme(window: BrowserWindow): void {
  const follow = (): void => window.setBackgroundColor(currentBackground());
  nativeTheme.on('updated', follow);
  window.on('closed', () => nativeTheme.off('updated', follow));
}

function reviveAfterCrash(window: BrowserWindow): void {
  window.webContents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit' || window.isDestroyed()) return;
    console.error(`the window's process ended: ${reason}`);
    const buttons = ['Open it again', 'Quit'];
    const message = 'The window stopped';
    const detail = `Its process ended (${reason}). Runs are not affected: they go on.`;
    void dialog.showMessageBox(window, { type: 'error', message, detail, buttons }).then(({ response }) => {
      if (response === 0) window.webContents.reload();
      else app.quit();
    });
  });
}
