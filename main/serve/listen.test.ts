import { lstatSync, mkdtempSync, rmSync, statSync, writeFileSync, existsSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { spawn } from 'node:child_process';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { listenOnPort, listenOnSocket } from './listen.ts';

let folder: string;
let file: string;
const servers: http.Server[] = [];
const make = (): http.Server => {
  const server = http.createServer((_request, response) => response.end('here'));
  servers.push(server);
  return server;
};
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'whetstone-listen-'));
  file = path.join(folder, 'w.sock');
});
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

const ask = (socketPath: string): Promise<string> =>
  new Promise((resolve, reject) => {
    http
      .get({ socketPath, path: '/', agent: false }, (response) => {
        response.on('data', (data: Buffer) => resolve(data.toString()));
      })
      .on('error', reject);
  });

it('makes a socket that only its owner may connect to, and takes it away', async () => {
  const server = make();
  await listenOnSocket(server, file);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  // The umask of the process is as it was: other files must not become private.
  writeFileSync(path.join(folder, 'plain'), '');
  expect(statSync(path.join(folder, 'plain')).mode & 0o077).not.toBe(0);
  expect(await ask(file)).toBe('here');
  await new Promise((resolve) => server.close(resolve));
  expect(existsSync(file)).toBe(false);
});

it('takes over the socket of a killed server', async () => {
  const child = spawn(process.execPath, [
    '-e',
    `require('net').createServer().listen(${JSON.stringify(file)}, () => console.log())`,
  ]);
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
  expect(lstatSync(file).isSocket()).toBe(true);
  await listenOnSocket(make(), file);
  expect(await ask(file)).toBe('here');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('leaves the socket of a live server alone', async () => {
  await listenOnSocket(make(), file);
  await expect(listenOnSocket(make(), file)).rejects.toMatchObject({
    code: 'socket-in-use',
    message: `another server answers on ${file}`,
  });
  expect(await ask(file)).toBe('here');
});

it('leaves a file alone that is no socket', async () => {
  writeFileSync(file, 'mine');
  await expect(listenOnSocket(make(), file)).rejects.toMatchObject({ code: 'socket-in-the-way' });
  expect(statSync(file).isFile()).toBe(true);
});

it('says where a socket cannot be', async () => {
  await expect(listenOnSocket(make(), path.join(folder, 'no', 'w.sock'))).rejects.toMatchObject({
    code: 'socket-folder-missing',
    hint: expect.stringMatching(/Make that folder/),
  });
  await expect(listenOnSocket(make(), path.join(folder, 'x'.repeat(120)))).rejects.toMatchObject({
    code: 'socket-path-too-long',
  });
});

it('finds a free port, and says when one is taken', async () => {
  const port = await listenOnPort(make(), 0);
  expect(port).toBeGreaterThan(1023);
  await expect(listenOnPort(make(), port)).rejects.toMatchObject({
    code: 'port-in-use',
    message: `port ${port} on 127.0.0.1 is in use`,
    hint: expect.stringMatching(new RegExp(`ss -ltnp 'sport = :${port}'.*--port`)),
  });
});

it('is not reached on other addresses of the machine', async () => {
  const port = await listenOnPort(make(), 0);
  const probe = net.connect(port, '127.0.0.2');
  await expect(
    new Promise((resolve, reject) => {
      probe.on('connect', resolve).on('error', reject);
    }),
  ).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
