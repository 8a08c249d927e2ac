/**
 * The token that `whetstone serve` prints in the fragment of its address. It is taken out of the address bar at once, where it could be copied or read over
 * a shoulder, and kept for this tab. A tab that was opened from another one (a run in a new tab) asks the others of the same address for it.
 */

const key = 'whetstone.token';
const channelName = 'whetstone.token';

/** Takes a token out of the address; path and query stay. */
function takeFromAddress(): boolean {
  const found = new URLSearchParams(location.hash.slice(1)).get('token');
  if (found === null) return false;
  sessionStorage.setItem(key, found);
  history.replaceState(history.state, '', location.pathname + location.search);
  return true;
}

const channel = new BroadcastChannel(channelName);
let asked: Promise<void> | null = null;
let changed: () => void = () => undefined;

channel.addEventListener('message', ({ data }: MessageEvent<{ ask: true } | { token: string }>) => {
  const own = sessionStorage.getItem(key);
  if ('ask' in data) {
    if (own !== null) channel.postMessage({ token: own });
  } else if (own === null && typeof data.token === 'string') sessionStorage.setItem(key, data.token);
});
// The new address of a restarted server, put into this tab's address bar, does not load the page anew.
addEventListener('hashchange', () => {
  if (takeFromAddress()) changed();
});
takeFromAddress();

/** '' when neither this tab nor another one knows it. */
export async function token(): Promise<string> {
  const own = sessionStorage.getItem(key);
  if (own !== null) return own;
  asked ??= new Promise((resolve) => {
    channel.postMessage({ ask: true });
    setTimeout(resolve, 300);
  });
  await asked;
  asked = null;
  return sessionStorage.getItem(key) ?? '';
}

export function whenTokenChanges(take: () => void): void {
  changed = take;
}
