/**
 * Answers `app://whetstone/...` from the renderer's folder: its files, and its index.html for every address of the window (which have no extension).
 * Nothing outside of that folder can be had, whatever the path.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { protocol } from 'electron';
import { securityHeaders } from '../main/window/csp.ts';
import { appOrigin, appScheme } from './channels.ts';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

/** Has to be called before the app is ready. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: appScheme, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ]);
}

/** Serves `folder`; has to be called once the app is ready. */
export function serveAppScheme(folder: string): void {
  protocol.handle(appScheme, (request) => answer(folder, request));
}

async function answer(folder: string, request: Request): Promise<Response> {
  const url = new URL(request.url);
  if (`${url.protocol}//${url.host}` !== appOrigin) return plain(404, 'not found');
  if (request.method !== 'GET' && request.method !== 'HEAD') return plain(405, 'only GET');
  let asked: string;
  try {
    asked = decodeURIComponent(url.pathname);
  } catch {
    return plain(400, 'bad address');
  }
  const file = path.join(folder, path.extname(asked) === '' ? 'index.html' : asked);
  if (asked.includes('\0') || !file.startsWith(folder + path.sep)) return plain(404, 'not found');
  try {
    const body = await readFile(file);
    return new Response(new Uint8Array(body), { headers: headers(types[path.extname(file)]) });
  } catch {
    return file.endsWith('index.html')
      ? plain(
          500,
          `the window's files are not there: ${file}. Build them with: npx vite build -c vite.renderer.config.ts`,
        )
      : plain(404, 'not found');
  }
}

function headers(type = 'application/octet-stream'): Record<string, string> {
  return {
    'content-type': type,
    ...securityHeaders,
    // Files of a newer version have other names, but index.html has not.
    'cache-control': 'no-cache',
  };
}

function plain(status: number, text: string): Response {
  return new Response(text, { status, headers: headers('text/plain; charset=utf-8') });
}
