/** What a test can do to the app from outside, as a person or the system would: over the process's own message channel, one answer to each message. */
import { app, preventable } from './app.ts';
import { BrowserWindow } from './browser-window.ts';
import { invoke } from './ipc-main.ts';
import { isGranted } from './permissions.ts';
import { answers, calls } from './record.ts';
import { decode, encode } from './values.ts';

/** Each takes what the test sends and gives what the test gets back; both are JSON. */
const operations = {
  /** Everything that was asked of the system so far. */
  calls: () => calls,
  /** The person's answer to the next dialog. */
  answer: (value: unknown) => void answers.push(value),
  quit: () => app.quit(),
  openUrl: (url: string) => void app.emit('open-url', preventable(), url),
  permission: ({ permission, url }: { permission: string; url: string }) => isGranted(permission, url),
  setBounds: (bounds: { x: number; y: number; width: number; height: number }) =>
    BrowserWindow.getAllWindows()[0]?.setBounds(bounds),
  crash: (reason: string) =>
    void BrowserWindow.getAllWindows()[0]?.webContents.emit('render-process-gone', {}, { reason, exitCode: 1 }),
  /** As if a frame at `url` had called. `main`: says that it is the window's main frame. */
  invoke: async ({ channel, args, url, main }: { channel: string; args: unknown[]; url: string; main: boolean }) => {
    const frame = { url };
    return decode(
      await invoke(channel, { sender: { mainFrame: main ? frame : { url } }, senderFrame: frame }, args.map(encode)),
    );
  },
};
export type Operations = typeof operations;

export function listenToTest(): void {
  // Whoever started it is gone: nobody would end it.
  process.on('disconnect', () => process.exit(1));
  process.on('message', ({ id, name, value }: { id: number; name: keyof Operations; value: never }) => {
    void Promise.resolve()
      .then(() => operations[name](value))
      .then(
        (answer: unknown) => process.send?.({ id, answer: JSON.parse(JSON.stringify(answer ?? null)) as unknown }),
        (error: unknown) => process.send?.({ id, error: String(error) }),
      );
  });
}
