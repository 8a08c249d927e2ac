/**
 * All that the page can reach of Electron: two functions, limited to the names of the contract. Runs sandboxed in a world of its own; ipcRenderer itself
 * never crosses. Faults cross as envelopes, since Electron keeps only the message of what is thrown.
 */
import { contextBridge, ipcRenderer, type IpcRendererEvent } from 'electron';
import { pushNames, requestNames } from '../main/contract/window/names.ts';
import type { Bridge, Reply } from '../main/contract/window/reply.ts';
import { callChannel, goChannel, pushChannel } from './channels.ts';

// This world's own view of the page's history; the project's other files know no browser.
declare const history: { pushState: (state: null, unused: string, address: string) => void };
declare function dispatchEvent(event: Event): boolean;

const requests = new Set<string>(requestNames);
const pushes = new Set<string>(pushNames);

const bridge: Bridge = {
  call: (name, input) =>
    requests.has(name)
      ? (ipcRenderer.invoke(callChannel, name, input) as Promise<Reply>)
      : Promise.resolve({
          ok: false,
          error: { code: 'no-such-request', message: `there is no request ${name.slice(0, 100)}`, hint: null },
        }),
  on: (name, take) => {
    if (!pushes.has(name)) throw new Error(`there is no push ${name.slice(0, 100)}`);
    const listener = (_event: IpcRendererEvent, pushed: string, payload: unknown): void => {
      if (pushed === name) take(payload);
    };
    ipcRenderer.on(pushChannel, listener);
    return () => void ipcRenderer.removeListener(pushChannel, listener);
  },
};

contextBridge.exposeInMainWorld('whetstoneBridge', bridge);

// An opened link moves the page as the browser's own back and forward do: nothing is loaded again.
ipcRenderer.on(goChannel, (_event, address: string) => {
  history.pushState(null, '', address);
  dispatchEvent(new Event('popstate'));
});
