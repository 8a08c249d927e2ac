/** The server against what a browser, another page, another user and a broken window send. */
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket as Socket } from 'ws';
import { AppError } from '../contract/errors.ts';
import { decode, encode } from '../contract/window/codec.ts';
import { maxRequestBytes, protocolName, socketPath, tokenCheckPath } from '../contract/window/wire.ts';
import { fakeServices, type FakeServices } from './fake-services.ts';
import { startServer, type RunningServer } from './server.ts';
import { fullBytes, maxRequests } from './window-connection.ts';

const token = 'a'.repeat(43);
/** A machine that does other things too needs patience. */
const soon = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 15_000, interval: 10 });
let folder: string;
let services: FakeServices;
let server: RunningServer;

beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'whetstone-serve-'));
  mkdirSync(path.join(folder, 'assets'));
  writeFileSync(path.join(folder, 'index.html'), '<!doctype html>index');
  writeFileSync(path.join(folder, 'assets', 'main-1a2b.js'), `x = 1;${' '.repeat(5000)}`);
  writeFileSync(path.join(folder, 'assets', 'plex-3c4d.woff2'), Buffer.from([1, 2, 3]));
  writeFileSync(path.join(folder, '.built-from'), 'hash');
  writeFileSync(path.join(folder, '..', `${path.basename(folder)}.secret.txt`), 'secret');
  services = fakeServices();
  server = await startServer({ services, folder, listen: { port: 0 }, token, beatMs: 100 });
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
  rmSync(`${folder}.secret.txt`, { force: true });
});

interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

/** Not fetch: that normalizes paths and does not let Host be set. */
function ask(target: string, options: http.RequestOptions = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port: server.port, path: target, ...options }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    request.on('error', reject);
    request.end();
  });
}

interface Knock {
  origin?: string | null;
  host?: string;
  protocols?: string[];
  at?: string;
}

function knock({ origin, host, protocols, at = socketPath }: Knock = {}): Socket {
  const own = `127.0.0.1:${server.port}`;
  return new Socket(`ws://${own}${at}`, protocols ?? [protocolName, `token.${token}`], {
    headers: {
      ...(origin === null ? {} : { Origin: origin ?? `http://${host ?? own}` }),
      ...(host === undefined ? {} : { Host: host }),
    },
  });
}

/** 'open', or the status that refused it. */
function outcome(socket: Socket): Promise<string | number> {
  return new Promise((resolve, reject) => {
    socket.on('open', () => resolve('open'));
    socket.on('unexpected-response', (request, response) => {
      resolve(response.statusCode ?? 0);
      request.destroy();
    });
    socket.on('error', reject);
  });
}

async function open(): Promise<Socket> {
  const socket = knock();
  expect(await outcome(socket)).toBe('open');
  return socket;
}

type Heard = Record<string, any>;
function listen(socket: Socket): Heard[] {
  const heard: Heard[] = [];
  socket.on('message', (data: Buffer) => {
    const message = decode(data) as Heard;
    if (!('beat' in message)) heard.push(message);
  });
  return heard;
}

const closeCode = (socket: Socket): Promise<number> => new Promise((resolve) => socket.on('close', resolve));

describe('files', () => {
  it('gives the page for every place in the window, and never from a cache', async () => {
    for (const place of ['/', '/runs', '/runs/20261130T1412-ab12?x=rows', '/rows/abc/ep%20one/6', '/index.html']) {
      const { status, headers, body } = await ask(place);
      expect([place, status, body.toString()]).toEqual([place, 200, '<!doctype html>index']);
      expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    }
  });

  it('gives the page for a place with a dot only to a person who goes there', async () => {
    expect((await ask('/rows/abc/episode.v2')).status).toBe(404);
    const asked = await ask('/rows/abc/episode.v2', { headers: { 'Sec-Fetch-Dest': 'document' } });
    expect(asked.status).toBe(200);
    expect((await ask('/assets/gone', { headers: { 'Sec-Fetch-Dest': 'document' } })).status).toBe(404);
  });

  it('gives assets with their types, kept for good, and gzipped where asked for', async () => {
    const script = await ask('/assets/main-1a2b.js', { headers: { 'Accept-Encoding': 'br, gzip' } });
    expect(script.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-encoding': 'gzip',
      'cache-control': 'private, max-age=31536000, immutable',
    });
    expect(gunzipSync(script.body).toString()).toMatch(/^x = 1;/);
    const plain = await ask('/assets/main-1a2b.js');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.body).toHaveLength(5006);
    const font = await ask('/assets/plex-3c4d.woff2', { headers: { 'Accept-Encoding': 'gzip' } });
    expect(font.headers['content-type']).toBe('font/woff2');
    expect(font.headers['content-encoding']).toBeUndefined();
    const head = await ask('/assets/plex-3c4d.woff2', { method: 'HEAD' });
    expect([head.headers['content-length'], head.body.length]).toEqual(['3', 0]);
  });

  it('says 404 for what is not in the build', async () => {
    for (const gone of ['/assets/main-0000.js', '/favicon.ico', '/.built-from', '/assets/.x'])
      expect([gone, (await ask(gone)).status]).toEqual([gone, 404]);
  });

  it('leaves its folder by no path', async () => {
    const name = `${path.basename(folder)}.secret.txt`;
    for (const way of [
      ...[
        `/../${name}`,
        `/assets/../../${name}`,
        `/%2e%2e/${name}`,
        `/..%2f${name}`,
        `/assets/%2e%2e%2f%2e%2e%2f${name}`,
      ],
      ...[`/..\\${name}`, `//${name}`, `/%00/../${name}`, `/%252e%252e/${name}`, `${folder}.secret.txt`, '/%', '/%ff'],
      ...[`/etc/passwd`, `http://127.0.0.1/../${name}`],
    ]) {
      const { status, body } = await ask(way);
      expect([way, body.includes('secret'), body.includes('root:')]).toEqual([way, false, false]);
      expect(status === 200 ? body.toString() : '').toMatch(/^$|index$/);
    }
  });

  it('protects every answer with headers', async () => {
    for (const target of ['/', '/assets/main-1a2b.js', '/assets/gone.js', '/%', tokenCheckPath]) {
      const { headers } = await ask(target);
      expect(headers['content-security-policy']).toBe(
        "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; " +
          "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
      );
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    }
  });

  it('answers under loopback names only, with any port', async () => {
    for (const host of ['localhost:9000', '127.0.0.1:1', 'LOCALHOST', '[::1]:80'])
      expect([host, (await ask('/', { headers: { Host: host } })).status]).toEqual([host, 200]);
    for (const host of [
      'evil.example',
      'localhost.evil.example:80',
      '127.0.0.1.nip.io',
      '127.0.0.1:80:80',
      '0.0.0.0',
      '@localhost',
    ])
      expect([host, (await ask('/', { headers: { Host: host } })).status]).toEqual([host, 421]);
  });

  it('takes nothing but GET and HEAD', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect([method, (await ask('/', { method })).status]).toEqual([method, 405]);
  });

  it('listens on 127.0.0.1 and nowhere else', async () => {
    const elsewhere = Object.values(os.networkInterfaces())
      .flatMap((each) => each ?? [])
      .find((each) => each.family === 'IPv4' && !each.internal);
    for (const host of ['127.0.0.2', ...(elsewhere ? [elsewhere.address] : [])])
      await expect(ask('/', { host })).rejects.toThrow('ECONNREFUSED');
  });

  it('says which token is right to its own page only', async () => {
    const check = async (headers: http.OutgoingHttpHeaders): Promise<number> =>
      (await ask(tokenCheckPath, { headers })).status;
    expect(await check({ Authorization: `Bearer ${token}` })).toBe(204);
    expect(await check({ Authorization: `Bearer ${token}x` })).toBe(401);
    expect(await check({ Authorization: 'Bearer ' })).toBe(401);
    expect(await check({})).toBe(401);
    expect(await check({ Authorization: `Bearer ${token}`, 'Sec-Fetch-Site': 'same-site' })).toBe(403);
    expect(await check({ Authorization: `Bearer ${token}`, Host: 'evil.example' })).toBe(421);
  });

  it('needs a built window', async () => {
    const empty = mkdtempSync(path.join(os.tmpdir(), 'whetstone-serve-'));
    for (const each of [empty, path.join(empty, 'gone')])
      await expect(startServer({ services, folder: each, listen: { port: 0 }, token })).rejects.toMatchObject({
        code: 'window-not-built',
      });
    rmSync(empty, { recursive: true });
  });
});

describe('who gets a connection', () => {
  it.each<[string, Knock, string | number]>([
    ['the page with the token', {}, 'open'],
    ['the page behind a tunnel', { host: 'localhost:9000' }, 'open'],
    ['a wrong token', { protocols: [protocolName, `token.${'b'.repeat(43)}`] }, 401],
    ['a shorter token', { protocols: [protocolName, `token.${'a'.repeat(42)}`] }, 401],
    ['no token', { protocols: [protocolName] }, 401],
    ['another page', { origin: 'http://evil.example' }, 403],
    ['a page of another port', { origin: 'http://127.0.0.1:1' }, 403],
    ['a file', { origin: 'null' }, 403],
    ['no origin', { origin: null }, 403],
    ['the same over https', { origin: 'https://127.0.0.1' }, 403],
    ['a name that points here', { host: 'evil.example' }, 421],
    ['another version', { protocols: ['whetstone.0', `token.${token}`] }, 426],
    ['another path', { at: '/' }, 404],
    ['the token in the path', { at: `${socketPath}?token=${token}` }, 404],
  ])('%s', async (_who, how, expected) => {
    const socket = knock(how);
    expect(await outcome(socket)).toBe(expected);
    expect(services.subscribers()).toBe(expected === 'open' ? 1 : 0);
    socket.terminate();
  });

  it('lives on after a handshake that is none', async () => {
    const raw = net.connect(server.port!, '127.0.0.1');
    raw.write(`GET ${socketPath} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`);
    const said = await new Promise<string>((resolve) => raw.on('data', (data) => resolve(data.toString())));
    expect(said).toMatch(/^HTTP\/1.1 403 /);
    const rude = net.connect(server.port!, '127.0.0.1');
    rude.write('\x16\x03\x01 not http at all\r\n\r\n');
    rude.on('error', () => undefined).resume();
    await new Promise((resolve) => rude.on('close', resolve));
    expect((await ask('/')).status).toBe(200);
  });
});

describe('requests', () => {
  it('are answered by number, faults in the same envelope', async () => {
    const socket = await open();
    const heard = listen(socket);
    socket.send(encode({ id: 1, name: 'runs.rename', input: { run: 'r', name: 'n' } }));
    socket.send(encode({ id: 2, name: 'runs.get', input: { run: 'gone' } }));
    socket.send(encode({ id: 3, name: 'no.such', input: {} }));
    socket.send(encode({ id: 4, name: 'runs.get', input: { run: 1 } }));
    socket.send(encode({ id: 5, name: 'constructor', input: {} }));
    socket.send(encode({ id: 6, name: 'runs.get' }));
    socket.send(encode({ id: 7, name: 'runs.stop', input: { run: 'bug', kill: false } }));
    await soon(() => expect(heard).toHaveLength(7));
    const by = Object.fromEntries(heard.map(({ id, reply }) => [id, reply.ok ? reply.value : reply.error.code]));
    expect(by).toEqual({
      ...{ 1: null, 2: 'no-such-run', 3: 'no-such-request', 4: 'bad-request', 5: 'no-such-request' },
      ...{ 6: 'bad-request', 7: 'internal' },
    });
    expect(services.reported).toHaveLength(1);
    socket.terminate();
  });

  it('carry typed arrays back', async () => {
    const socket = await open();
    const heard = listen(socket);
    socket.send(encode({ id: 1, name: 'runs.series', input: services.seriesInput }));
    await soon(() => expect(heard).toHaveLength(1));
    expect(heard[0]!['reply']).toStrictEqual({ ok: true, value: { x: new Float64Array([1, Number.NaN]) } });
    socket.terminate();
  });

  it('whose answer cannot be sent fail, with the fault in the log', async () => {
    const socket = await open();
    const heard = listen(socket);
    services.answer = () => new Map();
    socket.send(encode({ id: 1, name: 'runs.list', input: {} }));
    await soon(() => expect(heard).toHaveLength(1));
    expect(heard[0]!['reply']).toMatchObject({ ok: false, error: { code: 'internal' } });
    expect(String(services.reported[0])).toMatch(/cannot send a Map/);
    socket.terminate();
  });

  it.each<[string, string | Uint8Array, number]>([
    ['text', '{"id":1,"name":"runs.list","input":{}}', 1002],
    ['noise', new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8, 9]), 1002],
    ['a frame without a request', encode([1, 2]), 1002],
    ['a frame with a number that is none', encode({ id: 'x', name: 'runs.list', input: {} }), 1002],
    ['a frame with a name that is none', encode({ id: 1, name: ['runs.list'], input: {} }), 1002],
    ['a frame that is too large', encode({ id: 1, name: 'x'.repeat(maxRequestBytes), input: {} }), 1009],
  ])('that are %s end the connection and nothing else', async (_what, frame, code) => {
    const other = await open();
    const socket = await open();
    socket.send(frame);
    expect(await closeCode(socket)).toBe(code);
    await soon(() => expect(services.subscribers()).toBe(1));
    const heard = listen(other);
    other.send(encode({ id: 1, name: 'runs.rename', input: { run: 'r', name: 'n' } }));
    await soon(() => expect(heard).toHaveLength(1));
    other.terminate();
  });

  it('are refused above a number at once, and the connection lives', async () => {
    const socket = await open();
    const heard = listen(socket);
    const gate = Promise.withResolvers<null>();
    services.answer = () => gate.promise;
    for (let id = 1; id <= maxRequests + 50; id++) socket.send(encode({ id, name: 'runs.list', input: {} }));
    await soon(() => expect(heard).toHaveLength(50));
    expect(new Set(heard.map(({ reply }) => reply.error.code))).toEqual(new Set(['too-many-requests']));
    expect(services.asked).toBe(maxRequests);
    gate.resolve(null);
    await soon(() => expect(heard).toHaveLength(maxRequests + 50));
    socket.send(encode({ id: 0, name: 'runs.list', input: {} }));
    await soon(() => expect(heard.at(-1)).toEqual({ id: 0, reply: { ok: true, value: null } }));
    socket.terminate();
  });
});

describe('pushes', () => {
  it('reach every window until it is gone', async () => {
    const [one, two] = [await open(), await open()];
    const heard = [listen(one), listen(two)];
    services.push('runs.changed', { runs: ['a'], list: false });
    await soon(() => expect(heard.map((each) => each.length)).toEqual([1, 1]));
    expect(heard[0]).toEqual([{ push: 'runs.changed', payload: { runs: ['a'], list: false } }]);
    one.close();
    await soon(() => expect(services.subscribers()).toBe(1));
    two.terminate();
    await soon(() => expect(services.subscribers()).toBe(0));
  });

  it('wait merged while a window does not read, and then come', async () => {
    const socket = await open();
    const heard = listen(socket);
    socket.pause();
    // More than the system's own buffers take, so that the rest stays with the server.
    services.answer = () => new Uint8Array(4 * fullBytes);
    for (let id = 1; id <= 3; id++) socket.send(encode({ id, name: 'runs.list', input: {} }));
    await soon(() => expect(services.asked).toBe(3));
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (let index = 0; index < 1000; index++) {
      services.push('runs.changed', { runs: [`run-${index % 10}`], list: index === 500 });
      services.push('job.progress', { job: 'j', stage: 'reading', done: index, of: 1000 });
    }
    // Full: what the window asks now stays unread.
    socket.send(encode({ id: 9, name: 'runs.list', input: {} }));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(services.asked).toBe(3);
    socket.resume();
    await soon(() => expect(heard.some(({ id }) => id === 9)).toBe(true));
    const pushed = heard.filter((message) => 'push' in message);
    expect(pushed).toEqual([
      {
        push: 'runs.changed',
        payload: { runs: Array.from({ length: 10 }, (_, index) => `run-${index}`), list: true },
      },
      { push: 'job.progress', payload: { job: 'j', stage: 'reading', done: 999, of: 1000 } },
    ]);
    socket.terminate();
  });

  it('come with a sign of life, and a window that gives none is dropped', async () => {
    const socket = await open();
    const beats: unknown[] = [];
    socket.on('message', (data: Buffer) => beats.push(decode(data)));
    await soon(() => expect(beats.length).toBeGreaterThan(2));
    expect(beats[0]).toEqual({ beat: true });
    socket.pause();
    await soon(() => expect(services.subscribers()).toBe(0));
    socket.terminate();
  });
});

describe('ending', () => {
  it('tells windows why, and leaves nobody subscribed', async () => {
    const socket = await open();
    const said = new Promise<string>((resolve) => socket.on('close', (_code, reason) => resolve(reason.toString())));
    await server.close();
    expect(await said).toBe('whetstone serve has ended');
    await soon(() => expect(services.subscribers()).toBe(0));
    await expect(ask('/')).rejects.toThrow('ECONNREFUSED');
    server = await startServer({ services, folder, listen: { port: 0 }, token });
  });

  it('does not wait for a window that does not answer', async () => {
    const socket = await open();
    socket.pause();
    const begin = Date.now();
    await server.close();
    expect(Date.now() - begin).toBeLessThan(3000);
    server = await startServer({ services, folder, listen: { port: 0 }, token });
    socket.terminate();
  });
});

it('a second server on the same port says so', async () => {
  const second = startServer({ services, folder, listen: { port: server.port! }, token });
  await expect(second).rejects.toBeInstanceOf(AppError);
  await expect(second).rejects.toMatchObject({
    code: 'port-in-use',
    message: `port ${server.port!} on 127.0.0.1 is in use`,
    hint: expect.stringMatching(/Choose another --port/),
  });
});
