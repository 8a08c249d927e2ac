/** Where the server listens: a port on 127.0.0.1, or a socket file that only its owner may connect to. */
import { chmodSync, existsSync, lstatSync, unlinkSync } from 'node:fs';
import type { Server } from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { AppError } from '../contract/errors.ts';
import { fileError } from '../io/atomic-file.ts';

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

function listening(server: Server, options: net.ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** 0: a free one. Answers the port. Throws AppError. */
export async function listenOnPort(server: Server, port: number): Promise<number> {
  try {
    await listening(server, { host: '127.0.0.1', port, exclusive: true });
  } catch (error) {
    if (codeOf(error) === 'EADDRINUSE')
      throw new AppError(
        'port-in-use',
        `port ${port} on 127.0.0.1 is in use`,
        `Another \`whetstone serve\`, an ssh tunnel or another user's program may hold it; \`ss -ltnp 'sport = :${port}'\` shows yours. ` +
          'Choose another --port, or leave it out to get a free one.',
      );
    if (codeOf(error) === 'EACCES')
      throw new AppError('port-not-allowed', `port ${port} is kept for the system`, 'Choose a --port from 1024 up.');
    throw error;
  }
  return (server.address() as net.AddressInfo).port;
}

/** Throws AppError. The file goes away with `server.close()`; one that a killed server left is taken over. */
export async function listenOnSocket(server: Server, file: string): Promise<void> {
  const longest = os.platform() === 'linux' ? 107 : 103;
  if (Buffer.byteLength(file) > longest)
    throw new AppError(
      'socket-path-too-long',
      `the path of the socket has ${Buffer.byteLength(file)} bytes, and the system takes ${longest}: ${file}`,
      'Choose a shorter --socket path, such as one in your home folder.',
    );
  try {
    await bound(server, file);
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE') throw socketError(error, file);
    await removeStale(file);
    try {
      await bound(server, file);
    } catch (second) {
      throw socketError(second, file);
    }
  }
  chmodSync(file, 0o600);
}

/** Bound under a umask, so that there is no moment in which others could connect. Node binds within this call. */
async function bound(server: Server, file: string): Promise<void> {
  const before = process.umask(0o177);
  let done: Promise<void>;
  try {
    done = listening(server, { path: file });
  } finally {
    process.umask(before);
  }
  await done;
}

async function removeStale(file: string): Promise<void> {
  if (!lstatSync(file).isSocket())
    throw new AppError(
      'socket-in-the-way',
      `${file} is there already and is not a socket`,
      'Choose another --socket path.',
    );
  const answer = await new Promise<string>((resolve) => {
    const probe = net.connect(file);
    probe.once('connect', () => {
      probe.destroy();
      resolve('');
    });
    probe.once('error', (error) => resolve(codeOf(error)));
  });
  if (answer !== 'ECONNREFUSED')
    throw new AppError(
      'socket-in-use',
      `another server answers on ${file}`,
      'Use the one that runs, end it, or choose another --socket path.',
    );
  try {
    unlinkSync(file);
  } catch (error) {
    throw fileError(error, 'remove', file);
  }
}

function socketError(error: unknown, file: string): Error {
  const code = codeOf(error);
  if (code === 'EADDRINUSE')
    return new AppError('socket-in-use', `another server answers on ${file}`, 'Choose another --socket path.');
  // libuv says EACCES for a folder that is not there.
  if (code === 'EACCES' && !existsSync(path.dirname(file)))
    return new AppError(
      'socket-folder-missing',
      `cannot make the socket ${file}: its folder ${path.dirname(file)} is not there`,
      'Make that folder, or choose another --socket path.',
    );
  return fileError(error, 'make the socket', file);
}
