/** The Chromium that stands in for Electron's: Chrome's debugging protocol over one socket, with a session for each window. */
import WebSocket from 'ws';

export type Params = Record<string, unknown>;
type Listener = (method: string, params: never) => void;

interface Message {
  id?: number;
  method?: string;
  params?: Params;
  result?: Params;
  error?: { message: string };
  sessionId?: string;
}

let socket: WebSocket | undefined;
let next = 1;
const waiting = new Map<
  number,
  { method: string; resolve: (result: Params) => void; reject: (error: Error) => void }
>();
const sessions = new Map<string, Listener>();
const browserListeners: Listener[] = [];

/** Has to be awaited before anything is sent. */
export function connect(address: string): Promise<void> {
  const opened = new WebSocket(address, { perMessageDeflate: false, maxPayload: 1 << 30 });
  socket = opened;
  opened.on('message', (data: Buffer) => take(JSON.parse(data.toString()) as Message));
  return new Promise((resolve, reject) => {
    opened.once('open', resolve);
    opened.once('error', reject);
  });
}

function take(message: Message): void {
  if (message.id !== undefined) {
    const call = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.error) call?.reject(new Error(`${call.method}: ${message.error.message}`));
    else call?.resolve(message.result ?? {});
    return;
  }
  const params = (message.params ?? {}) as never;
  if (message.sessionId !== undefined) sessions.get(message.sessionId)?.(message.method ?? '', params);
  else for (const listener of browserListeners) listener(message.method ?? '', params);
}

/** One command; the result as Chrome gives it. Rejects with what Chrome says. */
export function send(method: string, params: Params = {}, session?: string): Promise<Params> {
  return new Promise((resolve, reject) => {
    const id = next++;
    waiting.set(id, { method, resolve, reject });
    if (!socket) throw new Error('electron double: not connected');
    socket.send(JSON.stringify({ id, method, params, sessionId: session }));
  });
}

export function onSession(session: string, listener: Listener): void {
  sessions.set(session, listener);
}
export function offSession(session: string): void {
  sessions.delete(session);
}
/** Events of the browser itself: targets that come and go. */
export function onBrowser(listener: Listener): void {
  browserListeners.push(listener);
}
