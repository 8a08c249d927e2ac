/**
 * The run that is being set up. It is written to the browser's storage with every change, so that leaving the screen, closing the window or a crash loses
 * nothing. The request holds what the main process gets; `texts` holds numbers as they were typed ("1e-4", "0."), so that a field never rewrites itself.
 */
import { create } from 'zustand';
import type { DraftRequest } from '../../main/contract/window/draft.ts';

/** What filled the form last. */
export type DraftStart =
  { kind: 'defaults' } | { kind: 'demo' } | { kind: 'run'; run: string; name: string } | { kind: 'command' };

export interface Draft {
  request: DraftRequest;
  /** By setting: what stands in its field, where it was typed. */
  texts: Record<string, string>;
  start: DraftStart;
  /** What the last filling changed, in words; null: nothing filled it. */
  changes: string[] | null;
  /** What the filling read and left out. */
  notes: string[];
}

export interface DraftStore extends Draft {
  /** Milliseconds since 1970 when it was written to storage; null: it could not be. */
  keptAt: number | null;
  /** What stood before the last filling, until the next change. */
  before: Draft | null;
  /** `undefined` takes the setting out: it is at its default. */
  setSetting: (name: string, value: unknown, text?: string) => void;
  setSettings: (values: Record<string, unknown>) => void;
  setRequest: (part: Partial<Omit<DraftRequest, 'settings'>>) => void;
  /** Takes over a whole request. */
  fill: (request: DraftRequest, start: DraftStart, changes: string[], notes?: string[]) => void;
  /** Puts back what stood before (undo). */
  restore: (draft: Draft) => void;
  reset: () => void;
}

const storageKey = 'whetstone.draft.1';

export function emptyRequest(recipe = 'webmix'): DraftRequest {
  return {
    recipe,
    settings: {},
    model: '',
    processor: null,
    rowsFolders: [''],
    output: null,
    name: null,
    allowBad: 0,
    ranks: 1,
    episodeIdsFile: null,
  };
}

const emptyDraft = (): Draft => ({
  request: emptyRequest(),
  texts: {},
  start: { kind: 'defaults' },
  changes: null,
  notes: [],
});

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');
const textOrNull = (value: unknown): boolean => value === null || typeof value === 'string';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** A draft from storage, or null where it is none (an older version's, or damaged). */
export function readDraft(text: string | null): Draft | null {
  let value: unknown;
  try {
    value = JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
  if (!isRecord(value) || !isRecord(value['request']) || !isRecord(value['texts']) || !isRecord(value['start']))
    return null;
  const { request, texts, start, changes, notes } = value;
  const holds =
    typeof request['recipe'] === 'string' &&
    isRecord(request['settings']) &&
    typeof request['model'] === 'string' &&
    ['processor', 'output', 'name', 'episodeIdsFile'].every((key) => textOrNull(request[key])) &&
    isTexts(request['rowsFolders']) &&
    isCount(request['allowBad']) &&
    isCount(request['ranks']) &&
    isTexts(Object.values(texts)) &&
    ['defaults', 'demo', 'run', 'command'].includes(String(start['kind'])) &&
    (changes === null || isTexts(changes)) &&
    isTexts(notes);
  return holds ? (value as unknown as Draft) : null;
}

/** When a stored draft was written; null: it does not say. */
export function readKeptAt(text: string | null): number | null {
  try {
    const at = (JSON.parse(text ?? 'null') as { keptAt?: unknown } | null)?.keptAt;
    return typeof at === 'number' ? at : null;
  } catch {
    return null;
  }
}

function stored(): (Draft & { keptAt: number | null }) | null {
  try {
    const text = localStorage.getItem(storageKey);
    const draft = readDraft(text);
    return draft && { ...draftOf(draft), keptAt: readKeptAt(text) };
  } catch {
    return null;
  }
}

/** The draft's own part of the store. */
export function draftOf({ request, texts, start, changes, notes }: Draft): Draft {
  return { request, texts, start, changes, notes };
}

function keep(draft: Draft): number | null {
  const keptAt = Date.now();
  try {
    localStorage.setItem(storageKey, JSON.stringify({ ...draftOf(draft), keptAt }));
    return keptAt;
  } catch {
    return null;
  }
}

const without = <Value>(record: Record<string, Value>, name: string): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));

export const useDraft = create<DraftStore>((set, get) => {
  const change = (part: Partial<Draft>, before: Draft | null = null): void => {
    const next = { ...draftOf(get()), ...part };
    set({ ...next, before, keptAt: keep(next) });
  };
  return {
    ...(stored() ?? { ...emptyDraft(), keptAt: null }),
    before: null,
    setSetting(name, value, text) {
      const { request, texts } = get();
      const settings = without(request.settings, name);
      if (value !== undefined) settings[name] = value;
      change({
        request: { ...request, settings },
        texts: text === undefined ? without(texts, name) : { ...texts, [name]: text },
      });
    },
    setSettings(values) {
      const { request, texts } = get();
      const settings: Record<string, unknown> = {};
      for (const [name, value] of Object.entries({ ...request.settings, ...values }))
        if (value !== undefined) settings[name] = value;
      const kept = Object.fromEntries(Object.entries(texts).filter(([name]) => !(name in values)));
      change({ request: { ...request, settings }, texts: kept });
    },
    setRequest(part) {
      change({ request: { ...get().request, ...part } });
    },
    fill(request, start, changes, notes = []) {
      const rowsFolders = request.rowsFolders.length === 0 ? [''] : request.rowsFolders;
      change({ request: { ...request, rowsFolders }, texts: {}, start, changes, notes }, draftOf(get()));
    },
    restore: (draft) => change(draft),
    reset() {
      change(emptyDraft());
    },
  };
});

/** What the main process gets: empty lines of the list of folders are no folders. */
export function sentRequest(request: DraftRequest): DraftRequest {
  return { ...request, rowsFolders: request.rowsFolders.filter((folder) => folder.trim() !== '') };
}
