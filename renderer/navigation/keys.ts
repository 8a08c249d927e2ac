/**
 * Keys of a screen. A screen (or an open dialog) lists what its keys do; the list is what acts, what the foot shows and what the key help prints, so the
 * three cannot differ. The innermost list that knows a key gets it. Single letters do nothing while a field has the focus.
 */
import { useEffect, useState, useSyncExternalStore } from 'react';

export interface KeyBinding {
  /** As in `J`, `Enter`, `Ctrl+K`, `Shift+ArrowLeft`, `Alt+ArrowDown`, `?`. Letters match with and without capitals unless Shift is named. */
  keys: string;
  /** What is shown in the foot, when it is not `keys`: `['←', '→']`. */
  shown?: readonly string[];
  label: string;
  run: () => void;
  /** Only in the list of all keys, not in the foot. */
  minor?: boolean;
  /** Works while a field has the focus too (keys with Ctrl or Alt and Escape do so anyway). */
  inFields?: boolean;
  disabled?: boolean;
}

export interface KeyLayer {
  id: number;
  /** Of the screen or dialog, for the list of all keys. */
  title: string;
  /** Always the newest; changed in place while only their functions are new. */
  bindings: readonly KeyBinding[];
  /** Keys that it does not know go no further (a dialog). */
  modal: boolean;
}

let layers: readonly KeyLayer[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function publish(next: readonly KeyLayer[]): void {
  layers = next;
  for (const listener of listeners) listener();
}

function matches(binding: KeyBinding, event: KeyboardEvent): boolean {
  const parts = binding.keys.split('+');
  const key = parts.pop() || '+';
  const wants = (name: string): boolean => parts.includes(name);
  if (wants('Ctrl') !== (event.ctrlKey || event.metaKey) || wants('Alt') !== event.altKey) return false;
  const letter = /^[a-z]$/i.test(key);
  // `?` and `+` need Shift on some keyboards and not on others.
  if (wants('Shift') !== event.shiftKey && (letter || key.length > 1)) return false;
  return letter ? event.key.toLowerCase() === key.toLowerCase() : event.key === (key === 'Space' ? ' ' : key);
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'submit', 'range'].includes(target.type)));

/** A focused button or link keeps Enter and Space for itself. */
const takesEnter = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('button, a, summary, [role="button"], [role="tab"]') !== null;

addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.isComposing) return;
  const inField = isField(event.target);
  for (const layer of [...layers].reverse()) {
    const binding = layer.bindings.find((each) => !each.disabled && matches(each, event));
    if (binding) {
      const modified = event.ctrlKey || event.metaKey || event.altKey || event.key === 'Escape';
      if (inField && !modified && !binding.inFields) return;
      if ((event.key === 'Enter' || event.key === ' ') && !modified && takesEnter(event.target)) return;
      event.preventDefault();
      binding.run();
      return;
    }
    if (layer.modal) return;
  }
});

/** Makes `bindings` work while the component is shown. Components further inside, and those that were shown later, come first. */
export function useKeys(title: string, bindings: readonly KeyBinding[], options: { modal?: boolean } = {}): void {
  const { modal = false } = options;
  // Taken while rendering, which goes from the outside in; effects go from the inside out.
  const [id] = useState(() => nextId++);
  useEffect(() => {
    publish([...layers, { id, title, bindings: [], modal }].sort((a, b) => a.id - b.id));
    return () => publish(layers.filter((layer) => layer.id !== id));
  }, [id, title, modal]);
  // Bindings close over what was rendered last: they are put in after every render, without telling anybody when only their functions are new.
  useEffect(() => {
    const own = layers.find((layer) => layer.id === id);
    if (own && shape(own.bindings) === shape(bindings)) own.bindings = bindings;
    else publish(layers.map((layer) => (layer.id === id ? { ...layer, bindings } : layer)));
  });
}

const shape = (list: readonly KeyBinding[]): string =>
  list.map((b) => `${b.keys} ${b.label} ${b.disabled ?? ''} ${b.minor ?? ''}`).join('\n');

/** Layers from the outermost (the shell) to the innermost. */
export function useKeyLayers(): readonly KeyLayer[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => layers,
  );
}
