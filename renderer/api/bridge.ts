/** The link of the desktop app: the preload script's bridge. It lives as long as the window, so it is up from the beginning. */
import type { Bridge } from '../../main/contract/window/reply.ts';
import { CallError } from './call-error.ts';
import { useConnection } from './connection.ts';
import type { Link } from './link.ts';

declare global {
  interface Window {
    whetstoneBridge?: Bridge;
  }
}

export function bridgeLink(bridge: Bridge): Link {
  useConnection.setState({ state: 'up', generation: 1, reason: '' });
  return {
    async call(name, input) {
      try {
        return await bridge.call(name, input);
      } catch (fault) {
        // The bridge answers with an envelope; what it throws comes from Electron itself, such as an input that cannot be copied.
        throw CallError.from(fault);
      }
    },
    on: (name, take) => bridge.on(name, take),
  };
}
