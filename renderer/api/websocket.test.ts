/** The link against a real server that breaks off, ends, comes back, refuses and falls silent. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket as ServerSocket } from 'ws';
import { afterEach, expect, it, vi } from 'vitest';
import { decode, encode } from '../../main/contract/window/codec.ts';
import { maxRequestBytes, protocolName, tokenCheckPath, tokenPrefix } from '../../main/contract/window/wire.ts';
import type { Connection } from './connection.ts';
import { WebSocketLink } from './websocket.ts';

const right = 'r'.repeat(43);
/** A machine that does other things too needs patience. */
const soon = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 15_000, interval: 10 });

interface Peer {
  port: number;
  sockets: Set<ServerSocket>;
  asked: { id: number; name: string }[];
  tries: () => number;
  stop: () => Promise<void>;
}
const peers: Peer[] = [];
const links: WebSocketLink[] = [];
afterEach(async () => {
  for (const link of links.splice(0)) link.stop();
  for (const peer of peers.splice(0)) await peer.stop();
});

/** Answers `app.info` with its input and leaves everything else waiting. */
async function serve(port = 0, token = right): Promise<Peer> {
  let tries = 0;
  const accepted = new WebSocketServer({ noServer: true, handleProtocols: () => protocolName });
  const server: Server = createServer((request, response) => {
    const known = request.headers.authorization === `Bearer ${token}`;
    response.writeHead(request.url === tokenCheckPath ? (known ? 204 : 401) : 404).end();
  });
  const peer: Peer = {
    port,
    sockets: accepted.clients,
    asked: [],
    tries: () => tries,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of accepted.clients) socket.terminate();
        server.closeAllConnections();
      }),
  };
  server.on('upgrade', (request, connection, head) => {
    tries++;
    if (!String(request.headers['sec-websocket-protocol']).includes(`${tokenPrefix}${token}`)) {
      connection.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    accepted.handleUpgrade(request, connection, head, (socket) =>
      socket.on('message', (data: Buffer) => {
        const { id, name, input } = decode(data) as { id: number; name: string; input: unknown };
        peer.asked.push({ id, name });
        if (name === 'app.info') socket.send(encode({ id, reply: { ok: true, value: input } }));
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  peer.port = (server.address() as AddressInfo).port;
  peers.push(peer);
  return peer;
}

interface Made {
  link: WebSocketLink;
  /** As the store would have it. */
  now: Partial<Connection>;
  states: string[];
}
function make(port: number, options: { token?: () => string; delays?: number[]; silenceMs?: number } = {}): Made {
  const made: Omit<Made, 'link'> = { now: {}, states: [] };
  const link = new WebSocketLink({
    host: `127.0.0.1:${port}`,
    token: options.token ?? (() => right),
    delays: options.delays ?? [20],
    ...(options.silenceMs === undefined ? {} : { silenceMs: options.silenceMs }),
    report: (change) => {
      Object.assign(made.now, change);
      if (change.state && made.states.at(-1) !== change.state) made.states.push(change.state);
    },
  });
  links.push(link);
  link.start();
  return Object.assign(made, { link });
}
const until = (state: string, made: Made): Promise<void> => soon(() => expect(made.now.state).toBe(state));

it('waits for the first connection, and keeps answers apart', async () => {
  const made = make((await serve()).port);
  const input = { x: new Float64Array([Number.NaN]) };
  const [one, two] = await Promise.all([made.link.call('app.info', input), made.link.call('app.info', 2)]);
  expect(one).toStrictEqual({ ok: true, value: input });
  expect(two).toStrictEqual({ ok: true, value: 2 });
  expect(made.now).toMatchObject({ state: 'up', generation: 1, lostAt: null, reason: '' });
});

it('fails what waits when it breaks, says so, and is up again by itself', async () => {
  const peer = await serve();
  const made = make(peer.port);
  await until('up', made);
  const waiting = made.link.call('runs.list', {});
  await soon(() => expect(peer.asked).toHaveLength(1));
  for (const socket of peer.sockets) socket.close(1001, 'the end of it');
  await expect(waiting).rejects.toMatchObject({
    code: 'disconnected',
    message: expect.stringMatching(/the end of it/),
  });
  await soon(() => expect(made.now.generation).toBe(2));
  expect(made.states).toEqual(['up', 'lost', 'up']);
  expect(made.now).toMatchObject({ lostAt: null, attempt: 0, nextTryAt: null });
  expect(await made.link.call('app.info', 3)).toEqual({ ok: true, value: 3 });
});

it('finds a server that was restarted on the same port with the same token', async () => {
  const first = await serve();
  const made = make(first.port);
  await until('up', made);
  const heard: unknown[] = [];
  made.link.on('runs.changed', (payload) => heard.push(payload));
  await first.stop();
  await until('lost', made);
  await expect(made.link.call('app.info', 1)).rejects.toMatchObject({ code: 'disconnected' });
  await soon(() => expect(made.now.attempt).toBeGreaterThan(2));
  expect(made.now.reason).toMatch(/nothing answers/);
  const second = await serve(first.port);
  await until('up', made);
  for (const socket of second.sockets) socket.send(encode({ push: 'runs.changed', payload: { runs: [], list: true } }));
  await soon(() => expect(heard).toEqual([{ runs: [], list: true }]));
});

it('does not send again what was asked before it broke', async () => {
  const peer = await serve();
  const made = make(peer.port);
  await until('up', made);
  const stop = made.link.call('runs.stop', {});
  await soon(() => expect(peer.asked).toHaveLength(1));
  for (const socket of peer.sockets) socket.terminate();
  await expect(stop).rejects.toMatchObject({ code: 'disconnected' });
  await soon(() => expect(made.now.generation).toBe(2));
  await made.link.call('app.info', 1);
  expect(peer.asked.map(({ name }) => name)).toEqual(['runs.stop', 'app.info']);
});

it('fails the first calls when nothing answers, and waits longer from try to try', async () => {
  const peer = await serve();
  await peer.stop();
  const made = make(peer.port, { delays: [10, 60_000] });
  await expect(made.link.call('app.info', 1)).rejects.toMatchObject({ code: 'disconnected' });
  await soon(() => expect(made.now.attempt).toBe(2));
  expect(made.now.nextTryAt! - Date.now()).toBeGreaterThan(50_000);
  const { lostAt } = made.now;
  await serve(peer.port);
  made.link.tryNow();
  made.link.tryNow();
  await until('up', made);
  expect(lostAt).toBeGreaterThan(0);
  expect(peers.at(-1)!.tries()).toBe(1);
});

it.each([
  ['wrong', 'w'.repeat(43)],
  ['not known', ''],
  ['nothing that could be sent', 'a b,c'],
])('is refused with a token that is %s, and does not try on', async (_what, token) => {
  const peer = await serve();
  const made = make(peer.port, { token: () => token, delays: [1] });
  await until('refused', made);
  const tries = peer.tries();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(peer.tries()).toBe(tries);
  expect(made.now.reason).toMatch(/token is wrong or missing/);
  await expect(made.link.call('app.info', 1)).rejects.toMatchObject({ code: 'disconnected' });
});

it('goes on with the right token after a refusal', async () => {
  const peer = await serve();
  let token = 'w'.repeat(43);
  const made = make(peer.port, { token: () => token });
  await until('refused', made);
  token = right;
  made.link.restart();
  await until('up', made);
  expect(await made.link.call('app.info', 1)).toEqual({ ok: true, value: 1 });
});

it('is refused when the server came back with another token', async () => {
  const first = await serve();
  const made = make(first.port);
  await until('up', made);
  await first.stop();
  await serve(first.port, 'x'.repeat(43));
  await until('refused', made);
  expect(made.states).toEqual(['up', 'lost', 'refused']);
});

it('takes silence for a dead connection', async () => {
  const made = make((await serve()).port, { silenceMs: 80, delays: [60_000] });
  await until('lost', made);
  expect(made.now.reason).toMatch(/nothing was heard for/);
});

it('stays up while there are signs of life', async () => {
  const peer = await serve();
  const made = make(peer.port, { silenceMs: 150 });
  await until('up', made);
  for (let beat = 0; beat < 10; beat++) {
    for (const socket of peer.sockets) socket.send(encode({ beat: true }));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(made.states).toEqual(['up']);
});

it('is lost when the server sends what cannot be read', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const peer = await serve();
  const made = make(peer.port, { delays: [60_000] });
  await until('up', made);
  for (const socket of peer.sockets) socket.send(new Uint8Array([1, 2, 3]));
  await until('lost', made);
  expect(made.now.reason).toMatch(/cannot read/);
});

it('refuses a request that is too large without breaking', async () => {
  const made = make((await serve()).port);
  await until('up', made);
  await expect(made.link.call('app.info', 'x'.repeat(maxRequestBytes))).rejects.toMatchObject({ code: 'too-large' });
  expect(await made.link.call('app.info', 1)).toEqual({ ok: true, value: 1 });
});

it('tells every taker, a faulty one too, until it ends', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const peer = await serve();
  const made = make(peer.port);
  await until('up', made);
  const heard: string[] = [];
  const take = (): void => void heard.push('same');
  made.link.on('runs.changed', () => {
    throw new Error('of this taker');
  });
  const off = made.link.on('runs.changed', take);
  made.link.on('runs.changed', take);
  const send = (): void => {
    for (const socket of peer.sockets) socket.send(encode({ push: 'runs.changed', payload: { runs: [], list: true } }));
  };
  send();
  await soon(() => expect(heard).toHaveLength(2));
  off();
  send();
  await soon(() => expect(heard).toHaveLength(3));
});
