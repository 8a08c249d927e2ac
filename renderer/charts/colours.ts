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

let probe: HTMLElement | null = null;

/** Value of a custom property that holds a colour, e.g. `--fg-3`, as `rgb(...)`: the property itself names both themes' colours, which no canvas takes. */
export function colour(name: string): string {
  watch();
  const known = cache.get(name);
  if (known !== undefined) return known;
  if (probe === null) {
    probe = document.createElement('i');
    probe.hidden = true;
    document.body.append(probe);
  }
  probe.style.color = `var(${name})`;
  const value = getComputedStyle(probe).color;
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
