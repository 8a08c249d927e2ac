/**
 * Life of the desktop app: one instance for each data folder, one window, services of the main process behind it. Runs are processes of their own, so
 * neither quitting nor a crash nor an update ends one.
 */
import path from 'node:path';
import { app, BrowserWindow, dialog } from 'electron';
import { dataFolder, ensureFolder, projectFolder } from '../main/paths.ts';
import { loadWindowFiles } from '../main/serve/window-files.ts';
import { networkFileSystem } from '../main/store/database.ts';
import { createServices } from '../main/window/services.ts';
import { registerAppScheme, serveAppScheme } from './app-scheme.ts';
import { appOrigin } from './channels.ts';
import { addressOfArguments, addressOfLink, linkScheme } from './deep-link.ts';
import { pickFolder } from './folder-dialog.ts';
import { attachIpc } from './ipc.ts';
import { setMenu } from './menu.ts';
import { openWindow, restrictPermissions, showWindow } from './window.ts';

/** Set by Forge: the address of Vite's server under `npm start`, undefined otherwise. */
declare const MAIN_WINDOW_VITE_DEV_SERVER_URL: string | undefined;
declare const MAIN_WINDOW_VITE_NAME: string;

const origin = MAIN_WINDOW_VITE_DEV_SERVER_URL ?? appOrigin;
const rendererFolder = app.isPackaged
  ? path.join(import.meta.dirname, '..', 'renderer', MAIN_WINDOW_VITE_NAME)
  : path.join(projectFolder, 'dist', 'renderer');

let services: ReturnType<typeof createServices> | undefined;
let closed = false;
/** Where the first window begins. */
let address = addressOfArguments(process.argv) ?? '/';

keepProfileWithData();
app.enableSandbox();
// The lock lies in the profile, so a second data folder can have an app of its own.
if (app.requestSingleInstanceLock()) start();
else app.quit();

function start(): void {
  registerAppScheme();
  if (app.isPackaged) app.setAsDefaultProtocolClient(linkScheme);
  app.on('second-instance', (_event, args) => goTo(addressOfArguments(args)));
  app.on('open-url', (event, link) => {
    event.preventDefault();
    goTo(addressOfLink(link));
  });
  app.on('activate', () => goTo(undefined));
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
  app.on('will-quit', (event) => {
    if (closed || !services) return;
    event.preventDefault();
    void closeServices();
  });
  app.whenReady().then(open, fail).catch(fail);
}

function open(): void {
  if (MAIN_WINDOW_VITE_DEV_SERVER_URL === undefined) serveAppScheme(loadWindowFiles(rendererFolder));
  restrictPermissions(origin);
  setMenu();
  // Trouble with the history is not thrown: the window opens and shows it.
  services = createServices({ host: { carrier: 'electron', pickFolder } });
  attachIpc(services, () => BrowserWindow.getAllWindows(), [origin]);
  openWindow({ origin, address });
}

function fail(error: unknown): void {
  console.error(error);
  dialog.showErrorBox(
    'Whetstone cannot start',
    `${error instanceof Error ? error.message : String(error)}\n\nRuns are not affected.`,
  );
  app.exit(1);
}

/** Shows the window, at `to` where that is given; opens one where there is none. Before the app is ready: where it will begin. */
function goTo(to: string | undefined): void {
  const window = BrowserWindow.getAllWindows()[0];
  if (window) showWindow(window, to);
  else {
    address = to ?? address;
    if (services) openWindow({ origin, address });
  }
}

/** Ends following and working threads, never a run; what does not end in time is left behind. */
async function closeServices(): Promise<void> {
  const tooLate = new Promise<void>((resolve) => setTimeout(resolve, 3000).unref());
  try {
    await Promise.race([services?.close(), tooLate]);
  } catch (error) {
    console.error(error);
  }
  closed = true;
  app.quit();
}

/**
 * Puts Chromium's profile (lock, storage, the window's place) into the data folder. Where that cannot be written to or is on a network disk, the profile
 * stays in the system's place: the app has to open to say what is wrong.
 */
function keepProfileWithData(): void {
  if (app.commandLine.hasSwitch('user-data-dir')) return;
  try {
    const profile = ensureFolder(path.join(dataFolder(), 'window'));
    if (networkFileSystem(profile) === undefined) app.setPath('userData', profile);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
  }
}
