/**
 * A double of the `electron` module for the main process. The app's own built main process, preload script and page run against it, in plain Node and a
 * Chromium that is reached over its debugging protocol (address in WHETSTONE_DOUBLE_CHROMIUM). What is not here throws. It proves nothing of Electron's
 * own binary: docs/desktop.md says what is left to a test with the real one.
 */
import { EventEmitter } from 'node:events';
import { app } from './app.ts';
import { BrowserWindow } from './browser-window.ts';
import { listenToTest } from './control.ts';
import { ipcMain } from './ipc-main.ts';
import { permissions } from './permissions.ts';
import { ask, record } from './record.ts';
import { makeProtocol } from './schemes.ts';
import { strict } from './strict.ts';

const dialog = {
  showOpenDialog: (...args: unknown[]) => ask('dialog.showOpenDialog', args.at(-1)),
  showMessageBox: (...args: unknown[]) => ask('dialog.showMessageBox', args.at(-1)),
  showErrorBox: (title: string, text: string) => record('dialog.showErrorBox', title, text),
};

const shell = {
  openExternal(url: string): Promise<void> {
    record('shell.openExternal', url);
    return Promise.resolve();
  },
};

const nativeTheme = Object.assign(new EventEmitter(), {
  shouldUseDarkColors: process.env['WHETSTONE_DOUBLE_THEME'] === 'dark',
});

const screen = {
  getAllDisplays: () => [{ id: 1, workArea: { x: 0, y: 0, width: 1920, height: 1080 } }],
};

const roles = new Set([
  ...['about', 'hide', 'hideOthers', 'quit', 'close', 'reload', 'toggleDevTools', 'resetZoom', 'zoomIn', 'zoomOut'],
  ...['togglefullscreen', 'editMenu', 'windowMenu'],
]);
interface MenuItem {
  role?: string;
  submenu?: MenuItem[];
}
const Menu = {
  buildFromTemplate(items: MenuItem[]): MenuItem[] {
    for (const { role, submenu } of items) {
      if (role !== undefined && !roles.has(role)) throw new Error(`electron double: no such menu role: ${role}`);
      if (submenu) Menu.buildFromTemplate(submenu);
    }
    return items;
  },
  setApplicationMenu: (menu: MenuItem[]) => record('Menu.setApplicationMenu', menu),
};

const protocol = makeProtocol(() => app.isReady());
const session = { defaultSession: strict(permissions, 'session.defaultSession') };
const parts = { app, ipcMain, protocol, dialog, shell, session, nativeTheme, screen, Menu };

const electron = strict(
  {
    BrowserWindow,
    ...Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, strict(part, name)])),
  },
  'electron',
);

listenToTest();

// The whole module for a bundle's require(), so that what is missing in it throws too.
export { electron as 'module.exports' };
