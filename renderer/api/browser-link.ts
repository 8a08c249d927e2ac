/** The link of a window in a browser: where its server is, and the token that opens it. */
import type { Link } from './link.ts';
import { useConnection } from './connection.ts';
import { token, whenTokenChanges } from './token.ts';
import { WebSocketLink } from './websocket.ts';

export function browserLink(): Link {
  const link = new WebSocketLink({
    host: location.host,
    token,
    report: (change) => useConnection.setState(change),
  });
  useConnection.setState({ tryNow: () => link.tryNow() });
  // Back from sleep, from another network or from another tab: no reason to wait for the next try.
  addEventListener('online', () => link.tryNow());
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') link.wake();
  });
  whenTokenChanges(() => link.restart());
  link.start();
  return link;
}
