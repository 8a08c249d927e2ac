/**
 * Asking the main process and hearing from it, the same over Electron's bridge and over a WebSocket. The only room that knows which of the two it is.
 */
import type { PushName, RequestName } from '../../main/contract/window/names.ts';
import type { Pushes } from '../../main/contract/window/pushes.ts';
import type { RequestAnswer, RequestInput } from '../../main/contract/window/requests.ts';
import { bridgeLink } from './bridge.ts';
import { CallError } from './call-error.ts';
import type { Link } from './link.ts';
import { browserLink } from './browser-link.ts';

export { CallError } from './call-error.ts';

let link: Link | null = null;

/** Made on first use, so that loading this file does nothing. */
function currentLink(): Link {
  link ??= globalThis.window.whetstoneBridge ? bridgeLink(globalThis.window.whetstoneBridge) : browserLink();
  return link;
}

/** Begins to connect; otherwise the first call does. */
export function connect(): void {
  currentLink();
}

/**
 * Throws CallError. Waits for the connection while the first one is being made; fails with `disconnected` when it breaks before the answer, and at once
 * while it is lost: what a person asked for must not happen minutes later.
 */
export async function call<Name extends RequestName>(
  name: Name,
  input: RequestInput<Name>,
): Promise<RequestAnswer<Name>> {
  const reply = await currentLink().call(name, input);
  if (!reply.ok) throw new CallError(reply.error);
  return reply.value as RequestAnswer<Name>;
}

/** Calls back at every push of that name, over reconnections too; the answer ends it. */
export function onPush<Name extends PushName>(name: Name, take: (payload: Pushes[Name]) => void): () => void {
  return currentLink().on(name, take as (payload: unknown) => void);
}
