/** Whether the main process can be reached. Runs do not depend on it; what is shown may be old. */
import { create } from 'zustand';

export interface Connection {
  /** `refused`: the token is wrong or not known, and trying again is no use: the address that `whetstone serve` printed has to be opened. */
  state: 'connecting' | 'up' | 'lost' | 'refused';
  /** Milliseconds since 1970 when it was lost; null while it is up and before the first try has failed. */
  lostAt: number | null;
  /** When the next try begins (milliseconds since 1970; null: one is under way, or none will be), and the number of tries since it was lost. */
  nextTryAt: number | null;
  attempt: number;
  /** How the last connection ended, or why the last try failed, in words; '' while it is up. */
  reason: string;
  /** Goes up with every connection: what was read before may be old. 0 before the first. */
  generation: number;
  /** Begins the next try now. */
  tryNow: () => void;
}

export const useConnection = create<Connection>(() => ({
  state: 'connecting',
  lostAt: null,
  nextTryAt: null,
  attempt: 0,
  reason: '',
  generation: 0,
  tryNow: () => undefined,
}));
