/** Requests and pushes over Electron's IPC. Only our own page, in a window's main frame, is answered; what it may ask is decided by dispatch(). */
import { ipcMain, type IpcMainInvokeEvent } from 'electron';
import type { Reply } from '../main/contract/window/reply.ts';
import { dispatch } from '../main/window/dispatch.ts';
import type { Services } from '../main/window/services.ts';
import { callChannel, pushChannel } from './channels.ts';

/** `origins`: where our page is loaded from. The answer ends it. */
export function attachIpc(
  services: Services,
  windows: () => Electron.BrowserWindow[],
  origins: readonly string[],
): () => void {
  ipcMain.handle(callChannel, (event, name: unknown, input: unknown): Promise<Reply> | Reply =>
    isOurs(event, origins)
      ? dispatch(services, name, input)
      : {
          ok: false,
          error: { code: 'wrong-sender', message: 'this page may not ask the main process', hint: null },
        },
  );
  const unsubscribe = services.subscribe((name, payload) => {
    for (const window of windows()) if (!window.isDestroyed()) window.webContents.send(pushChannel, name, payload);
  });
  return () => {
    unsubscribe();
    ipcMain.removeHandler(callChannel);
  };
}

function isOurs(event: IpcMainInvokeEvent, origins: readonly string[]): boolean {
  const frame = event.senderFrame;
  return frame !== null && frame === event.sender.mainFrame && origins.includes(originOf(frame.url));
}

/** `app://whetstone` of `app://whetstone/runs`. (URL.origin of a scheme of one's own is 'null' in Node.) */
export function originOf(url: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(url)?.[0] ?? '';
}
