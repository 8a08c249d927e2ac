/** What the app lets a page ask the system for: its two handlers, kept so that a test can ask them. */

type RequestHandler = (
  contents: unknown,
  permission: string,
  answer: (granted: boolean) => void,
  details: { requestingUrl: string },
) => void;
type CheckHandler = (contents: unknown, permission: string, origin: string) => boolean;

let request: RequestHandler | undefined;
let check: CheckHandler | undefined;

export const permissions = {
  setPermissionRequestHandler(handler: RequestHandler): void {
    request = handler;
  },
  setPermissionCheckHandler(handler: CheckHandler): void {
    check = handler;
  },
};

/** Granted by both, as the page at `url` would find it. Electron grants everything where there is no handler. */
export async function isGranted(permission: string, url: string): Promise<boolean> {
  const granted = await new Promise<boolean>((resolve) => {
    if (request) request(null, permission, resolve, { requestingUrl: url });
    else resolve(true);
  });
  return granted && (check?.(null, permission, url) ?? true);
}
