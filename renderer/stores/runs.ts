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
  refresh: () => pull.ask(),
}));

/** What the window shows of a row. Of a run that is over, "last heard" grows with every answer and is shown nowhere. */
const shown = (run: RunRow): string => JSON.stringify(isOver(run) ? { ...run, lastHeardSeconds: 0 } : run);

export const isOver = ({ state }: Pick<RunRow, 'state'>): boolean =>
  state === 'finished' || state === 'stopped' || state === 'failed' || state === 'lost';
export const isAtWork = (run: Pick<RunRow, 'state'>): boolean => !isOver(run);

const texts = new WeakMap<RunRow, string>();

/** Puts in rows of before where nothing has changed; answers `before` itself when nothing at all has. */
export function keepUnchanged(before: readonly RunRow[], now: readonly RunRow[]): readonly RunRow[] {
  const byId = new Map(before.map((run) => [run.id, run]));
  const kept = now.map((run) => {
    const old = byId.get(run.id);
    const text = shown(run);
    if (old !== undefined && texts.get(old) === text) return old;
    texts.set(run, text);
    return run;
  });
  return kept.length === before.length && kept.every((run, i) => run === before[i]) ? before : kept;
}

const pull = new LivePull<RunsList>({
  every: 250,
  pull: () => call('runs.list', {}),
  take: ({ runs, faults }) =>
    useRuns.setState((state) => ({
      runs: keepUnchanged(state.runs, runs),
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
  onPush('runs.changed', () => pull.ask());
  useConnection.subscribe((now, before) => {
    if (now.generation !== before.generation) pull.ask();
  });
  pull.ask();
}

/** The list, followed. */
export function useRunRows(): readonly RunRow[] {
  useEffect(followRuns, []);
  return useRuns((state) => state.runs);
}

export function useRunRow(id: string): RunRow | undefined {
  useEffect(followRuns, []);
  return useRuns((state) => state.runs.find((run) => run.id === id));
}
