/**
 * Colours for canvases, read from the custom properties when something is drawn: a canvas keeps pixels, so a change of theme has to draw anew. One observer for all.
 */
import { useSyncExternalStore } from 'react';

let generation = 0;
const listeners = new Set<() => void>();
let watching = false;
const cache = new Map<string, string>();

function changed(): void {
  generation++;
  cache.clear();
  for (const listener of listeners) listener();
}

function watch(): void {
  if (watching) return;
  watching = true;
  matchMedia('(prefers-color-scheme: light)').addEventListener('change', changed);
  matchMedia('(forced-colors: active)').addEventListener('change', changed);
  new MutationObserver(changed).observe(document.documentElement, {
    attributes: true,
    attributeFilter: ['data-theme', 'class'],
  });
}

/** Value of a custom property of the root, e.g. `--fg-3`. */
export function colour(name: string): string {
  watch();
  const known = cache.get(name);
  if (known !== undefined) return known;
  const value = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  cache.set(name, value);
  return value;
}

/** Goes up with every change of theme: whoever draws on a canvas depends on it. */
export function useThemeGeneration(): number {
  return useSyncExternalStore(
    (listener) => {
      watch();
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => generation,
  );
}
