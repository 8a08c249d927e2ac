/**
 * Where the window is: a path and a query, the same in the app and in a browser, so that every state that matters can be linked to. Screens read their
 * part of the query and write it back; going back in the browser's history goes back in the window.
 */
import { useSyncExternalStore } from 'react';

export interface Address {
  /** Decoded parts of the path: `/runs/20261130T1412-ab12` is ['runs', '20261130T1412-ab12']. */
  path: readonly string[];
  query: Readonly<Record<string, string>>;
}

const parse = (pathname: string, search: string): Address => ({
  path: pathname
    .split('/')
    .filter((part) => part !== '')
    .map((part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        return part;
      }
    }),
  query: Object.fromEntries(new URLSearchParams(search)),
});

/** `/runs/a%20b?x=rows`; entries of the query that are undefined or '' are left out. */
export function formatAddress(
  path: readonly (string | number)[],
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const search = new URLSearchParams(
    Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''),
  ).toString();
  return `/${path.map((part) => encodeURIComponent(part)).join('/')}${search === '' ? '' : `?${search}`}`;
}

const listeners = new Set<() => void>();
let current = parse(location.pathname, location.search);

function changed(): void {
  current = parse(location.pathname, location.search);
  for (const listener of listeners) listener();
}
addEventListener('popstate', changed);

export function currentAddress(): Address {
  return current;
}

/** Goes to an address of this window. `replace`: takes the place of this one in the history (a cursor that moves, a filter that is typed). */
export function go(address: string, options: { replace?: boolean } = {}): void {
  if (address === location.pathname + location.search) return;
  if (options.replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  changed();
}

/** Changes entries of the query and keeps the rest; undefined removes one. */
export function setQuery(
  entries: Readonly<Record<string, string | undefined>>,
  options: { replace?: boolean } = { replace: true },
): void {
  go(formatAddress(current.path, { ...current.query, ...entries }), options);
}

export function useAddress(): Address {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}
