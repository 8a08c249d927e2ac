/** What `whetstone serve` and a browser say to each other over a WebSocket: names, limits and the shape of a message. Frames are made by codec.ts. */
import type { PushName } from './names.ts';
import type { Reply } from './reply.ts';

export const socketPath = '/socket';

/** Asked with the token by a window whose connection was not accepted: a browser does not tell a page why. 204: the token is right; 401: it is not. */
export const tokenCheckPath = '/token';

/** The subprotocols that a window asks for: this one, and `token.` with the token, which thus stands in no address and no log. */
export const protocolName = 'whetstone.1';
export const tokenPrefix = 'token.';

/** Of one request. The server ends a connection that sends more. */
export const maxRequestBytes = 1 << 20;

/** A window that has heard nothing for `silenceMs` takes the connection for dead; the server says something at least every `beatMs`. */
export const beatMs = 10_000;
export const silenceMs = 45_000;

export interface RequestMessage {
  id: number;
  name: string;
  input: unknown;
}

export type ServerMessage = { id: number; reply: Reply } | { push: PushName; payload: unknown } | { beat: true };
