/** `whetstone serve`: the window in a browser, on this machine or through an ssh tunnel. docs/remote.md says what protects it. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { AppError } from '../../contract/errors.ts';
import type { AppInfo } from '../../contract/window/app.ts';
import { dataFolder, ensureFolder, projectFolder } from '../../paths.ts';
import { startServer, type RunningServer } from '../../serve/server.ts';
import { keepPort, readOrMakeToken, readPort } from '../../serve/token-file.ts';
import { dispatch } from '../../window/dispatch.ts';
import { createServices, type Services } from '../../window/services.ts';

export interface ServeFlags {
  port?: string;
  socket?: string;
  tokenFile?: string;
  json?: boolean;
}

export async function serveCommand(flags: ServeFlags): Promise<void> {
  const port = wantedPort(flags);
  const data = ensureFolder(dataFolder());
  // Beside the opening of the history: each takes a third of a second.
  const built = buildIfStale();
  built.catch(() => undefined);
  const services = createServices({ host: { carrier: 'serve' } });
  try {
    await requireHistory(services);
    await built;
    const token = readOrMakeToken(flags.tokenFile ? path.resolve(flags.tokenFile) : path.join(data, 'serve-token'));
    const folder = path.join(projectFolder, 'dist', 'renderer');
    const socket = flags.socket === undefined ? null : path.resolve(flags.socket);
    const start = (listen: { port: number } | { socket: string }): Promise<RunningServer> =>
      startServer({ services, folder, listen, token });
    const portFile = path.join(data, 'serve-port');
    const server =
      socket !== null
        ? await start({ socket })
        : await startOnPort(port, readPort(portFile), (p) => start({ port: p }));
    if (server.port !== null) keepPort(portFile, server.port);
    // Before the address is said: who reads it may end us at once.
    const ended = ending();
    print({ port: server.port, socket, token, json: flags.json ?? false });
    const signal = await ended;
    await server.close();
    if (!flags.json) console.log(`\nended (${signal}); runs go on, \`whetstone runs\` shows them`);
  } finally {
    await services.close();
  }
}

function wantedPort({ port, socket }: ServeFlags): number | null {
  if (port === undefined) return null;
  if (socket !== undefined)
    throw new AppError('usage', '--port and --socket exclude each other', 'Give one of the two.');
  const number = Number(port);
  if (!/^\d+$/.test(port) || number > 65535)
    throw new AppError('usage', `--port ${port} is no port`, 'Give a number from 1024 to 65535, or 0 for a free one.');
  return number;
}

/** Without a wish the port of the last time, so that open tabs and tunnels still lead here; a free one where it is taken. */
async function startOnPort(
  wanted: number | null,
  last: number | null,
  start: (port: number) => Promise<RunningServer>,
): Promise<RunningServer> {
  if (wanted !== null || last === null) return start(wanted ?? 0);
  try {
    return await start(last);
  } catch (error) {
    if (error instanceof AppError && error.code === 'port-in-use') return start(0);
    throw error;
  }
}

/** A window without a history shows nothing that it is for: said here, where the person is who can do something about it. */
async function requireHistory(services: Services): Promise<void> {
  const reply = await dispatch(services, 'app.info', {});
  const problem = reply.ok ? (reply.value as AppInfo).historyProblem : reply.error;
  if (problem) throw new AppError(problem.code, problem.message, problem.hint ?? undefined);
}

/** In a process of its own: the builder is large, and is not needed afterwards. */
async function buildIfStale(): Promise<void> {
  const builder = path.join(projectFolder, 'tools', 'build-window.ts');
  // Where only the built window was brought along.
  if (!existsSync(builder)) return;
  // With Node's cache of compiled code, which is beside the build as well.
  const environment = { NODE_COMPILE_CACHE: path.join(projectFolder, '.whetstone', 'compile-cache'), ...process.env };
  const child = spawn(process.execPath, [builder], { stdio: ['ignore', 'ignore', 'inherit'], env: environment });
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  if (status !== 0)
    throw new AppError(
      'window-build-failed',
      'the window could not be built (see above)',
      '`node tools/build-window.ts` tries again; `npm run setup` brings what is missing.',
    );
}

function print(shown: { port: number | null; socket: string | null; token: string; json: boolean }): void {
  const { port, socket, token, json } = shown;
  const local = port ?? 8765;
  const url = `http://127.0.0.1:${local}/#token=${token}`;
  const ssh = `ssh -N -L ${local}:${socket ?? `127.0.0.1:${local}`} ${os.userInfo().username}@${os.hostname()}`;
  if (json) {
    console.log(JSON.stringify({ url, token, port, socket, ssh, pid: process.pid }));
    return;
  }
  if (socket === null) {
    console.log(`Whetstone: ${url}`);
    console.log(`from another machine, first: ${ssh}`);
  } else {
    console.log(`Whetstone is on ${socket}; on your machine:`);
    console.log(`  ${ssh}`);
    console.log(`then open ${url}`);
  }
  console.log('Whoever has this address can do here what you can. Ctrl-C ends the server; runs go on.');
}

/** Waits for the first signal; the second ends the process at once. */
function ending(): Promise<string> {
  return new Promise((resolve) => {
    let first = true;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => {
        if (!first) process.exit(130);
        first = false;
        resolve(signal === 'SIGINT' ? 'Ctrl-C' : signal);
      });
  });
}
