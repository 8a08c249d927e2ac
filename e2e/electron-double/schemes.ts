/**
 * Schemes of the app's own. Chromium cannot be taught one over its debugging protocol, so `app://whetstone/x` becomes
 * `http://whetstone.app.double.localhost/x`, whose requests are caught and answered by the app's own handler.
 */

type Handler = (request: Request) => Response | Promise<Response>;
const privileged = new Set<string>();
const handlers = new Map<string, Handler>();

export const caught = 'http://*.double.localhost/*';

export const toChromium = (url: string): string =>
  url.replace(/^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i, (whole, scheme: string, host: string) =>
    handlers.has(scheme) ? `http://${host}.${scheme}.double.localhost` : whole,
  );
export const toApp = (url: string): string =>
  url.replace(/^http:\/\/([^/]*)\.([a-z0-9+-]+)\.double\.localhost/, '$2://$1');

export function makeProtocol(isReady: () => boolean): object {
  return {
    registerSchemesAsPrivileged(schemes: { scheme: string }[]) {
      if (isReady()) throw new Error('protocol.registerSchemesAsPrivileged should be called before app is ready');
      for (const { scheme } of schemes) privileged.add(scheme);
    },
    handle(scheme: string, handler: Handler) {
      if (!isReady()) throw new Error('electron double: protocol.handle before the app is ready');
      if (!privileged.has(scheme)) throw new Error(`electron double: ${scheme} was not registered as privileged`);
      if (handlers.has(scheme)) throw new Error(`The scheme has been intercepted: ${scheme}`);
      handlers.set(scheme, handler);
    },
  };
}

/** The app's answer to a request for `url` (as the app knows it). */
export async function answerRequest(url: string, request: RequestInit): Promise<Response> {
  const handler = handlers.get(url.split(':')[0] ?? '');
  if (!handler) throw new Error(`electron double: nobody handles ${url}`);
  return handler(new Request(url, request));
}
