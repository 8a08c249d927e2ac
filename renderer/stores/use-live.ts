/**
 * An answer of the main process that is pulled again on every push that concerns it: right away, at most four times a second, never two at once. When the question
 * changes the old answer stays, marked as such, until the new one is there.
 */
import { useEffect, useRef, useState } from 'react';
import { CallError, onPush } from '../api/client.ts';
import { useConnection } from '../api/connection.ts';
import { LivePull } from './live-pull.ts';

export interface Live<Answer> {
  answer: Answer | null;
  /** `answer` belongs to the question asked now. */
  current: boolean;
  /** Of the newest try; null once one succeeds. */
  error: CallError | null;
  /** Milliseconds since 1970 of the answer; null before the first. */
  readAt: number | null;
}

interface LiveQuestion<Answer> {
  /** The question as text; null: nothing to ask yet. */
  key: string | null;
  pull: () => Promise<Answer>;
  /** Ids of the runs that it concerns. */
  runs: readonly string[];
  /** Milliseconds between two pulls, at least. */
  every?: number;
}

export function useLive<Answer>({ key, pull, runs, every = 250 }: LiveQuestion<Answer>): Live<Answer> {
  const [state, setState] = useState<{
    answer: Answer | null;
    key: string | null;
    failedKey: string | null;
    error: CallError | null;
    readAt: number | null;
  }>({ answer: null, key: null, failedKey: null, error: null, readAt: null });
  const generation = useConnection((connection) => connection.generation);
  const newest = useRef({ pull, runs });
  useEffect(() => {
    newest.current = { pull, runs };
  });
  useEffect(() => {
    if (key === null) return;
    const live = new LivePull<Answer>({
      every,
      pull: () => newest.current.pull(),
      take: (answer) => setState({ answer, key, failedKey: null, error: null, readAt: Date.now() }),
      fail: (fault) => setState((before) => ({ ...before, failedKey: key, error: CallError.from(fault) })),
    });
    const end = onPush('runs.changed', (payload) => {
      if (newest.current.runs.some((run) => payload.runs.includes(run))) live.ask();
    });
    live.ask();
    return () => {
      end();
      live.close();
    };
    // A new generation is a new connection: what was read before may be old.
  }, [key, every, generation]);
  const { answer, readAt } = state;
  return {
    answer,
    current: answer !== null && state.key === key,
    error: state.failedKey === key ? state.error : null,
    readAt,
  };
}
