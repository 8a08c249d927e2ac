/**
 * One window on one WebSocket: its requests go to `dispatch`, its answers and the pushes come back. What it sends is not trusted, and what it does not read
 * must not fill this process's memory.
 */
import type { WebSocket } from 'ws';
import { decode, encode } from '../contract/window/codec.ts';
import { beatMs, type RequestMessage, type ServerMessage } from '../contract/window/wire.ts';
import { dispatch, wireError } from '../window/dispatch.ts';
import type { Services } from '../window/services.ts';
import { PendingPushes, type AnyPush } from './pending-pushes.ts';

/** Above this many unsent bytes pushes wait; above four times as many nothing more is read from the window. */
export const fullBytes = 4 << 20;

/** Requests that may be under way at once; a window that behaves has a dozen. */
export const maxRequests = 200;

/** A window that lets this many beats go unanswered is gone. More than one: this process itself may have been too busy to read an answer. */
const maxSilentBeats = 3;

export interface ConnectionOptions {
  beatMs?: number;
}

/** Serves until the socket closes. */
export function serveWindow(socket: WebSocket, services: Services, options: ConnectionOptions = {}): void {
  const pending = new PendingPushes();
  let underWay = 0;
  /** Beats since the window was last heard. */
  let silent = 0;

  const send = (message: ServerMessage): void => {
    if (socket.readyState !== socket.OPEN) return;
    socket.send(encode(message), onSent);
    if (socket.bufferedAmount > 4 * fullBytes && !socket.isPaused) socket.pause();
  };
  const onSent = (): void => {
    if (socket.bufferedAmount > fullBytes) return;
    if (socket.isPaused) socket.resume();
    for (const push of pending.take()) send(push);
  };
  const onPush = (push: AnyPush): void => {
    if (socket.bufferedAmount > fullBytes) pending.add(push);
    else send(push);
  };

  const answer = async ({ id, name, input }: RequestMessage): Promise<void> => {
    if (underWay >= maxRequests) {
      const message = `more than ${maxRequests} requests at once`;
      send({
        id,
        reply: { ok: false, error: { code: 'too-many-requests', message, hint: 'Reload the window.' } },
      });
      return;
    }
    underWay++;
    const reply = await dispatch(services, name, input);
    underWay--;
    try {
      send({ id, reply });
    } catch (error) {
      // The handler answered something that cannot be sent.
      send({ id, reply: { ok: false, error: wireError(error, services.report) } });
    }
  };

  socket.on('message', (data: Buffer, isBinary: boolean) => {
    silent = 0;
    const request = isBinary ? readRequest(data) : null;
    if (request) void answer(request);
    else socket.close(1002, 'this is not a request');
  });
  socket.on('pong', () => {
    silent = 0;
  });
  // 'close' follows; without a listener the fault would end the process.
  socket.on('error', () => undefined);

  const unsubscribe = services.subscribe((push, payload) => onPush({ push, payload } as AnyPush));
  const beat = setInterval(() => {
    // A full connection says by itself that it is there: the socket fails when nobody takes what was sent.
    if (socket.bufferedAmount > fullBytes) return;
    if (silent >= maxSilentBeats) {
      socket.terminate();
      return;
    }
    silent++;
    socket.ping();
    send({ beat: true });
  }, options.beatMs ?? beatMs);
  beat.unref();
  socket.on('close', () => {
    clearInterval(beat);
    unsubscribe();
  });
}

function readRequest(data: Buffer): RequestMessage | null {
  try {
    const message = decode(data);
    if (typeof message !== 'object' || message === null) return null;
    const { id, name, input } = message as Partial<RequestMessage>;
    // Whether there is such a request, and whether it may be asked like this, dispatch says.
    return Number.isSafeInteger(id) && typeof name === 'string' ? { id: id as number, name, input } : null;
  } catch {
    return null;
  }
}
