/** Answers to plain HTTP: the window's files, and whether a token is right. Nothing here reads data of the user's, so it needs no token. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tokenCheckPath } from '../contract/window/wire.ts';
import { securityHeaders } from '../window/csp.ts';
import { refusalOfHost, refusalOfTokenCheck } from './access.ts';
import type { WindowFile, WindowFiles } from './window-files.ts';

export async function answerPage(
  request: IncomingMessage,
  response: ServerResponse,
  { files, token }: { files: WindowFiles; token: string },
): Promise<void> {
  for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
  const refusal = refusalOfHost(request);
  if (refusal) {
    end(response, refusal.status, refusal.text);
    return;
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD');
    end(response, 405, 'Only GET and HEAD.');
    return;
  }
  const name = pathOf(request.url ?? '/');
  if (name === null) {
    end(response, 400, 'This address cannot be read.');
    return;
  }
  if (name === tokenCheckPath) {
    const wrong = refusalOfTokenCheck(request, token);
    if (wrong) end(response, wrong.status, wrong.text);
    else end(response, 204);
    return;
  }
  const file = files.find(name) ?? (isPlace(name, request) ? files.index : undefined);
  if (!file) {
    end(response, 404, 'There is no such file in this build of the window: reload it.');
    return;
  }
  return send(request, response, file);
}

/** Decoded once; null where the percent signs are wrong, or something hides in them. */
function pathOf(url: string): string | null {
  try {
    const name = decodeURIComponent(url.replace(/[?#].*$/s, ''));
    return name.startsWith('/') && !name.includes('\0') ? name : null;
  } catch {
    return null;
  }
}

/** An address inside the window, all of which are the one page. A name with a dot is a file, unless a person goes there: episodes may have dots. */
function isPlace(name: string, { headers }: IncomingMessage): boolean {
  if (name.startsWith('/assets/')) return false;
  return headers['sec-fetch-dest'] === 'document' || !/\.[^/]*$/.test(name);
}

async function send(request: IncomingMessage, response: ServerResponse, file: WindowFile): Promise<void> {
  response.setHeader('Content-Type', file.type);
  response.setHeader('Cache-Control', file.cacheControl);
  response.setHeader('Vary', 'Accept-Encoding');
  const mayZip = /\bgzip\b/.test(request.headers['accept-encoding']?.toString() ?? '');
  const zipped = mayZip ? await file.gzipped() : null;
  if (zipped) response.setHeader('Content-Encoding', 'gzip');
  const body = zipped ?? file.body;
  response.setHeader('Content-Length', body.length);
  response.writeHead(200).end(request.method === 'HEAD' ? undefined : body);
}

function end(response: ServerResponse, status: number, text?: string): void {
  response.setHeader('Cache-Control', 'no-store');
  if (text === undefined) response.writeHead(status).end();
  else response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
}
