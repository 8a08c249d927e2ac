/**
 * All runs of the history, live, and which of them are ticked. Rows that have not changed keep their identity from one answer to the next, so that a table of
 * hundreds renders only what moved.
 */
import { useEffect } from 'react';
import { create } from 'zustand';
import type { RunRow, RunsList } from '../../main/contract/window/runs.ts';
import { call, CallError, onPush } from '../api/client.ts';
import { useConnection } from '../api/connection.ts';
import { freeSlot, type Slot } from '../charts/identity.ts';
import { LivePull } from './live-pull.ts';
import { keepUnchanged, putChanged } from './run-lines.ts';

export { isAtWork, isOver } from './run-lines.ts';

export interface RunsState {
  runs: readonly RunRow[];
  faults: RunsList['faults'];
  /** Milliseconds since 1970 of the last answer; null: nothing has been read yet. */
  readAt: number | null;
  /** Why the last reading failed; what is shown is from before. */
  error: CallError | null;
  /** Ticked runs and the slot of hue and dash that each has. */
  selected: ReadonlyMap<string, Slot>;
  /** Ticks or unticks. */
  toggle: (run: string) => void;
  select: (selected: ReadonlyMap<string, Slot>) => void;
  /** Reads again now. */
  refresh: () => void;
}

export const useRuns = create<RunsState>((set) => ({
  runs: [],
  faults: [],
  readAt: null,
  error: null,
  selected: new Map(),
  toggle: (run) =>
    set(({ selected }) => {
      const next = new Map(selected);
      if (!next.delete(run)) next.set(run, freeSlot(next.values()));
      return { selected: next };
    }),
  select: (selected) => set({ selected }),
  refresh: () => {
    stale = null;
    pull.ask();
  },
}));

/** What of the list may be old; null: all of it. While a run is at work only its line is read again, not hundreds. */
let stale: Set<string> | null = null;

async function readStale(): Promise<RunsList & { whole: boolean }> {
  const only = stale;
  stale = new Set();
  try {
    return { ...(await call('runs.list', only === null ? {} : { only: [...only] })), whole: only === null };
  } catch (error) {
    stale = null;
    throw error;
  }
}

const mostAtOnce = 100;

const pull = new LivePull<RunsList & { whole: boolean }>({
  every: 250,
  pull: readStale,
  take: ({ runs, faults, whole }) =>
    useRuns.setState((state) => ({
      runs: keepUnchanged(state.runs, whole ? runs : putChanged(state.runs, runs)),
      faults: JSON.stringify(faults) === JSON.stringify(state.faults) ? state.faults : faults,
      readAt: Date.now(),
      error: null,
    })),
  fail: (error) => useRuns.setState({ error: CallError.from(error) }),
});

let started = false;

/** Starts following; once for the window's life, since the top bar counts runs on every screen. Answers at once when it does already. */
export function followRuns(): void {
  if (started) return;
  started = true;
  onPush('runs.changed', ({ runs, list }) => {
    for (const run of runs) stale?.add(run);
    if (list || (stale?.size ?? 0) > mostAtOnce) stale = null;
    pull.ask();
  });
  useConnection.subscribe((now, before) => {
    if (now.generation === before.generation) return;
    stale = null;
    pull.ask();
  });
  pull.ask();
}

/** The list, followed. */
export function useRunRows(): readonly RunRow[] {
  useEffect(followRuns, []);
  return useRuns((state) => state.runs);
}
