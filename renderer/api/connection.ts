/** Whether the main process can be reached. Runs do not depend on it; what is shown may be old. */
import { create } from 'zustand';

export interface Connection {
  state: 'connecting' | 'up' | 'lost' | 'refused';
  /** Milliseconds since 1970 when it was lost. */
  lostAt: number | null;
  /** When the next try begins, and the number of tries since it was lost. */
  nextTryAt: number | null;
  attempt: number;
  /** How the last connection ended, in words. */
  reason: string;
  /** Goes up with every connection: what was read before may be old. */
  generation: number;
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
