/** Pools that the window has opened: what each holds, and how far one is that is being read. Kept while the window is open, so that going back costs nothing. */
import { useEffect } from 'react';
import { create } from 'zustand';
import type { OpenPool } from '../../../main/contract/window/rows.ts';
import { call, CallError, onPush } from '../../api/client.ts';
import { useConnection } from '../../api/connection.ts';

export type PoolState =
  | { state: 'opening'; job: string; stage: string; done: number; of: number; old: OpenPool | null }
  | { state: 'open'; pool: OpenPool }
  | { state: 'failed'; error: CallError };

export type WhichPool = { pool: string } | { folders: string[] };

interface PoolsStore {
  /** By the pool's address, or by `folders` as JSON while the address is not known. */
  pools: Readonly<Record<string, PoolState>>;
}

export const usePools = create<PoolsStore>(() => ({ pools: {} }));

let jobs = 0;
const set = (key: string, state: PoolState): void =>
  usePools.setState(({ pools }) => ({ pools: { ...pools, [key]: state } }));

export const poolKey = (which: WhichPool): string => ('pool' in which ? which.pool : JSON.stringify(which.folders));

/** Reads the pool's files (again) and answers what it holds; null where that failed or was cancelled, which the store then says. */
export async function openPool(which: WhichPool): Promise<OpenPool | null> {
  const key = poolKey(which);
  const before = usePools.getState().pools[key];
  const job = `rows-${Date.now().toString(36)}-${++jobs}`;
  const old = before?.state === 'open' ? before.pool : null;
  set(key, { state: 'opening', job, stage: 'reading rows', done: 0, of: 0, old });
  const isCurrent = (): boolean => {
    const now = usePools.getState().pools[key];
    return now?.state === 'opening' && now.job === job;
  };
  const stop = onPush('job.progress', (progress) => {
    if (progress.job !== job || !isCurrent()) return;
    set(key, { state: 'opening', ...progress, old });
  });
  try {
    const pool = await call('rows.open', { job, which });
    if (isCurrent()) set(key, { state: 'open', pool });
    set(pool.pool, { state: 'open', pool });
    return pool;
  } catch (fault) {
    if (isCurrent()) set(key, { state: 'failed', error: CallError.from(fault) });
    return null;
  } finally {
    stop();
  }
}

/** Stops the reading; the store says `cancelled` then, or holds what was read before. */
export function cancelOpening(key: string): void {
  const state = usePools.getState().pools[key];
  if (state?.state !== 'opening') return;
  void call('job.cancel', { job: state.job }).catch(() => undefined);
  if (state.old) set(key, { state: 'open', pool: state.old });
}

/** The pool, opened when it is first shown. */
export function usePool(pool: string): PoolState | undefined {
  const state = usePools(({ pools }) => pools[pool]);
  const generation = useConnection((connection) => connection.generation);
  useEffect(() => {
    const now = usePools.getState().pools[pool];
    // A connection that broke while it was being read is no fault of the pool.
    if (now === undefined || (now.state === 'failed' && now.error.code === 'disconnected')) void openPool({ pool });
  }, [pool, generation]);
  return state;
}
