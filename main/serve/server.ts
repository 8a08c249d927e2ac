/** `whetstone serve` as a function: the window's files over HTTP, the services over a WebSocket, both to this machine only. */
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { maxRequestBytes, protocolName, socketPath } from '../contract/window/wire.ts';
import type { Services } from '../window/services.ts';
import { refusalOfUpgrade } from './access.ts';
import { listenOnPort, listenOnSocket } from './listen.ts';
import { answerPage } from './pages.ts';
import { loadWindowFiles } from './window-files.ts';
import { serveWindow, type ConnectionOptions } from './window-connection.ts';

/** Not imported: an import of it makes Node load its HTTP client too, a twentieth of a second of the start. */
const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');

export interface ServeOptions extends ConnectionOptions {
  services: Services;
  /** Of the built window. */
  folder: string;
  /** A port of 127.0.0.1 (0: a free one), or a socket file. */
  listen: { port: number } | { socket: string };
  token: string;
}

export interface RunningServer {
  /** null on a socket. */
  port: number | null;
  /** Tells windows that it ends, and waits until they are gone (a second at most). The services stay open. */
  close: () => Promise<void>;
}

/** Throws AppError: window not built, port or socket in use, ... */
export async function startServer(options: ServeOptions): Promise<RunningServer> {
  const { services, token } = options;
  const files = loadWindowFiles(options.folder);
  const server = createServer((request, response) => {
    answerPage(request, response, { files, token }).catch((error: unknown) => {
      services.report(error);
      response.destroy();
    });
  });
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxRequestBytes,
    perMessageDeflate: false,
    handleProtocols: () => protocolName,
  });
  server.on('upgrade', (request, connection, head) => {
    connection.on('error', () => undefined);
    if (request.url !== socketPath) {
      refuse(connection, 404, 'There is nothing here.');
      return;
    }
    const refusal = refusalOfUpgrade(request, token);
    if (refusal) {
      refuse(connection, refusal.status, refusal.text);
      return;
    }
    sockets.handleUpgrade(request, connection, head, (socket) => serveWindow(socket, services, options));
  });
  let port: number | null = null;
  if ('port' in options.listen) port = await listenOnPort(server, options.listen.port);
  else await listenOnSocket(server, options.listen.socket);
  return {
    port,
    async close() {
      const ended = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets.clients) socket.close(1001, 'whetstone serve has ended');
      server.closeIdleConnections();
      const force = setTimeout(() => {
        for (const socket of sockets.clients) socket.terminate();
        server.closeAllConnections();
      }, 1000);
      await ended;
      clearTimeout(force);
    },
  };
}

function refuse(connection: Duplex, status: number, text: string): void {
  const body = `${text}\n`;
  connection.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      'Connection: close',
      'Content-Type: text/plain; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  );
}
