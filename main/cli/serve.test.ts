/** `whetstone serve` as a process: what it prints, how it ends, and what it says when it cannot be. Builds the window where that is stale. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { decode, encode } from '../contract/window/codec.ts';
import { protocolName, socketPath } from '../contract/window/wire.ts';

const main = path.resolve(import.meta.dirname, 'main.ts');
let folder: string;
const children: ChildProcess[] = [];
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'whetstone-serve-cli-'));
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

interface Started {
  child: ChildProcess;
  /** Everything said so far. */
  said: () => string;
  ended: Promise<number | null>;
}
function serve(data: string, ...flags: string[]): Started {
  const child = spawn(process.execPath, [main, 'serve', ...flags], {
    env: { ...process.env, WHETSTONE_DATA: path.join(folder, data), WHETSTONE_DATABASE: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { child, said: () => text, ended: new Promise((resolve) => child.once('close', resolve)) };
}

interface Address {
  url: string;
  token: string;
  port: number | null;
  socket: string | null;
  ssh: string;
}
async function address({ said, ended }: Started): Promise<Address> {
  const state = { over: false };
  void ended.then(() => (state.over = true));
  for (;;) {
    const line = said()
      .split('\n')
      .find((each) => each.startsWith('{') && each.endsWith('}'));
    if (line !== undefined) return JSON.parse(line) as Address;
    if (state.over) throw new Error(`it ended: ${said()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The reply to `app.info`. */
function askInfo(target: string, host: string, token: string): Promise<any> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(target, [protocolName, `token.${token}`], {
      headers: { Host: host, Origin: `http://${host}` },
    });
    socket.on('error', reject);
    socket.on('open', () => socket.send(encode({ id: 1, name: 'app.info', input: {} })));
    socket.on('message', (data: Buffer) => {
      const message = decode(data) as any;
      if (message.id === 1) {
        resolve(message.reply);
        socket.terminate();
      }
    });
  });
}

it(
  'serves, says no to a second one, ends on Ctrl-C, and is found again at the same address',
  { timeout: 300_000 },
  async () => {
    const first = serve('data', '--json');
    const at = await address(first);
    expect(at.url).toBe(`http://127.0.0.1:${at.port}/#token=${at.token}`);
    expect(at.ssh).toMatch(new RegExp(`^ssh -N -L ${at.port}:127\\.0\\.0\\.1:${at.port} .+@.+$`));
    expect(statSync(path.join(folder, 'data', 'serve-token')).mode & 0o777).toBe(0o600);
    const page = await fetch(`http://127.0.0.1:${at.port}/runs`);
    expect(await page.text()).toMatch(/<div id="root">/);
    const info = await askInfo(`ws://127.0.0.1:${at.port}${socketPath}`, `127.0.0.1:${at.port}`, at.token);
    expect(info).toMatchObject({ ok: true, value: { carrier: 'serve', historyProblem: null, folderDialog: false } });

    const second = serve('data', '--json');
    expect(await second.ended).toBe(1);
    expect(second.said()).toMatch(/^error: .*\nhint: /m);

    const elsewhere = serve('other', '--port', String(at.port));
    expect(await elsewhere.ended).toBe(1);
    expect(elsewhere.said()).toMatch(new RegExp(`error: port ${at.port} on 127\\.0\\.0\\.1 is in use\nhint: .*--port`));

    first.child.kill('SIGINT');
    expect(await first.ended).toBe(0);
    const again = serve('data', '--json');
    expect((await address(again)).url).toBe(at.url);
    again.child.kill('SIGTERM');
    expect(await again.ended).toBe(0);

    // The port is taken by somebody else meanwhile: another one, without a word of blame.
    const other = net.createServer().listen(at.port ?? 0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const moved = serve('data');
    for (let tries = 0; tries < 1200 && !moved.said().includes('Ctrl-C'); tries++)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(moved.said()).toMatch(/^Whetstone: http:\/\/127\.0\.0\.1:\d+\/#token=/m);
    expect(moved.said()).not.toContain(at.url);
    moved.child.kill('SIGINT');
    expect(await moved.ended).toBe(0);
    expect(moved.said()).toMatch(/ended \(Ctrl-C\); runs go on/);
    other.close();
  },
);

it('serves on a socket that only its owner may connect to', { timeout: 300_000 }, async () => {
  const file = path.join(folder, 'w.sock');
  const served = serve('data', '--json', '--socket', file);
  const at = await address(served);
  expect(at).toMatchObject({ port: null, socket: file, ssh: expect.stringMatching(`^ssh -N -L \\d+:${file} `) });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const info = await askInfo(`ws+unix://${file}:${socketPath}`, 'localhost:9000', at.token);
  expect(info).toMatchObject({ ok: true });
  served.child.kill('SIGTERM');
  expect(await served.ended).toBe(0);
  expect(() => statSync(file)).toThrow('ENOENT');
});

it.each<[string, string[], RegExp, number]>([
  ['a port that is none', ['--port', 'x'], /error: --port x is no port\nhint: /, 2],
  ['a port that is too high', ['--port', '65536'], /error: --port 65536 is no port/, 2],
  ['a port and a socket', ['--port', '1', '--socket', 'x'], /exclude each other/, 2],
  ['a flag that is not there', ['--open'], /unknown option '--open'/, 2],
])('says no to %s', async (_what, flags, says, status) => {
  const tried = serve('flags', ...flags);
  expect(await tried.ended).toBe(status);
  expect(tried.said()).toMatch(says);
});

it('says no to a token that others can read', { timeout: 300_000 }, async () => {
  mkdirSync(path.join(folder, 'open'));
  writeFileSync(path.join(folder, 'open', 'token'), `${'a'.repeat(43)}\n`, { mode: 0o644 });
  const tried = serve('open', '--token-file', path.join(folder, 'open', 'token'));
  expect(await tried.ended).toBe(1);
  expect(tried.said()).toMatch(/error: others can read the token in .*\nhint: Remove the file/);
});

it('says no to a data folder that cannot be one', async () => {
  writeFileSync(path.join(folder, 'file'), '');
  const tried = serve('file');
  expect(await tried.ended).toBe(1);
  expect(tried.said()).toMatch(/error: .*file.*\nhint: /);
});
