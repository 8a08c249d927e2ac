/**
 * Who may come in. The server listens on loopback or a socket file only, but web pages of other origins, and other users of the machine, reach loopback
 * too: pages are kept out by Host and Origin, people by the token.
 */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { protocolName, tokenPrefix } from '../contract/window/wire.ts';

const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]']);

export interface Refusal {
  status: 401 | 403 | 421 | 426;
  text: string;
}

/** Against a name of somebody else's that was made to point here. Only the name counts: through a tunnel the port is another. */
export function refusalOfHost({ headers }: IncomingMessage): Refusal | null {
  const name = headers.host?.replace(/:\d{1,5}$/, '').toLowerCase();
  if (name !== undefined && loopbackNames.has(name)) return null;
  return { status: 421, text: 'Whetstone answers as 127.0.0.1 or localhost only.' };
}

export function sameToken(given: string, token: string): boolean {
  const left = Buffer.from(given);
  const right = Buffer.from(token);
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Of a WebSocket: null where it may be made. */
export function refusalOfUpgrade(request: IncomingMessage, token: string): Refusal | null {
  const { headers } = request;
  const host = refusalOfHost(request);
  if (host) return host;
  // Browsers always say the origin of a WebSocket. Behind the tunnel Host is what the browser asked for, so the two agree there too.
  if (headers.origin !== `http://${headers.host ?? ''}`)
    return { status: 403, text: 'This connection comes from another page than the one that Whetstone gave out.' };
  const protocols = (headers['sec-websocket-protocol'] ?? '').split(',').map((each) => each.trim());
  if (!protocols.includes(protocolName))
    return { status: 426, text: 'Window and main process are of different versions: reload the window.' };
  const given = protocols.find((each) => each.startsWith(tokenPrefix))?.slice(tokenPrefix.length) ?? '';
  if (!sameToken(given, token))
    return { status: 401, text: 'The token is wrong: open the address that whetstone serve printed.' };
  return null;
}

/** Of the question whether a token is right. */
export function refusalOfTokenCheck({ headers }: IncomingMessage, token: string): Refusal | null {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    return { status: 403, text: 'This question comes from another page than the one that Whetstone gave out.' };
  const given = /^Bearer (.*)$/.exec(headers.authorization ?? '')?.[1] ?? '';
  return sameToken(given, token) ? null : { status: 401, text: 'The token is wrong.' };
}
