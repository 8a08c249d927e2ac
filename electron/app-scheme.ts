/**
 * Answers `app://whetstone/...` from the built window's files: each under its own name, and index.html for every address of the window. What is not among
 * them cannot be had, whatever the path.
 */
import { protocol } from 'electron';
import type { WindowFile, WindowFiles } from '../main/serve/window-files.ts';
import { securityHeaders } from '../main/window/csp.ts';
import { appOrigin, appScheme } from './channels.ts';

/** Has to be called before the app is ready. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: appScheme, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ]);
}

/** Has to be called once the app is ready. */
export function serveAppScheme(files: WindowFiles): void {
  protocol.handle(appScheme, (request) => answer(files, request));
}

function answer(files: WindowFiles, request: Request): Response {
  const url = new URL(request.url);
  if (`${url.protocol}//${url.host}` !== appOrigin) return plain(404, 'not found');
  if (request.method !== 'GET') return plain(405, 'only GET');
  let name: string;
  try {
    name = decodeURIComponent(url.pathname);
  } catch {
    return plain(400, 'bad address');
  }
  const file = files.find(name) ?? (isPlace(name) ? files.index : undefined);
  return file ? whole(file) : plain(404, 'not found');
}

/** An address inside the window. Screens have names without a dot; what comes after them may have one, as episodes do. */
function isPlace(name: string): boolean {
  const first = name.split('/')[1] ?? '';
  return first !== 'assets' && !first.includes('.');
}

function whole({ type, body, cacheControl }: WindowFile): Response {
  return new Response(new Uint8Array(body), {
    headers: { ...securityHeaders, 'Content-Type': type, 'Cache-Control': cacheControl },
  });
}

function plain(status: number, text: string): Response {
  return new Response(text, { status, headers: { ...securityHeaders, 'Content-Type': 'text/plain; charset=utf-8' } });
}
