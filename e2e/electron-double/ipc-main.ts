/** ipcMain: handlers by channel, as ipcRenderer.invoke finds them. */
import { decode, encode } from './values.ts';

type Handler = (event: unknown, ...args: unknown[]) => unknown;
const handlers = new Map<string, Handler>();

export const ipcMain = {
  handle(channel: string, handler: Handler): void {
    if (handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`);
    handlers.set(channel, handler);
  },
  removeHandler(channel: string): void {
    handlers.delete(channel);
  },
};

/** Arguments and answer as text (values.ts). */
export async function invoke(channel: string, event: unknown, args: readonly unknown[]): Promise<unknown> {
  const handler = handlers.get(channel);
  if (!handler) throw new Error(`No handler registered for '${channel}'`);
  return encode(await handler(event, ...args.map(decode)));
}
