/**
 * What a screen reads from the main process.
 *
 *     const { data, error, loading, reload } = useQuery('runs.get', { run: id });
 *     const series = useQuery('runs.series', zoom, { keepPrevious: true });   // old curves stay until the new ones are there
 *     const pool = useQuery('rows.list', chosen ? { ... } : null);            // null: nothing is asked yet
 *     usePush('runs.changed', ({ runs }) => { if (runs.includes(id)) reload(); });
 *
 * Asks when it is first shown, when the input changes (compared by value, so it may be made anew in every render), on `reload`, and after every
 * reconnection. Answers that come too late, to an earlier input, are dropped. `reload` may be called as often as pushes come: it never cuts a running
 * request short, and asks at most once more after it.
 */
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { RequestName } from '../../main/contract/window/names.ts';
import type { RequestAnswer, RequestInput } from '../../main/contract/window/requests.ts';
import type { CallError } from './call-error.ts';
import { call } from './client.ts';
import { useConnection } from './connection.ts';
import { Query } from './query.ts';

export interface QueryResult<Answer> {
  /** The newest answer to this input; null before the first. Stays while it is asked anew and when asking anew fails. */
  data: Answer | null;
  /** How the newest try failed; null as soon as one succeeds. `disconnected` is left out while there is data: the bar on top says so already. */
  error: CallError | null;
  /** A request is under way, with or without older data. First load: `loading && data === null`. */
  loading: boolean;
  /** `data` answers an earlier input (only with `keepPrevious`). */
  stale: boolean;
  /** Asks anew. The same function in every render. */
  reload: () => void;
}

export interface QueryOptions {
  /** Goes on showing the answer to the earlier input, marked `stale`, until the new one is there. Not for another run's or row's page: it would show the wrong thing. */
  keepPrevious?: boolean;
}

/** `input` null asks nothing: data null, not loading. */
export function useQuery<Name extends RequestName>(
  name: Name,
  input: RequestInput<Name> | null,
  options: QueryOptions = {},
): QueryResult<RequestAnswer<Name>> {
  const [query] = useState(() => new Query<Name>(call));
  const state = useSyncExternalStore(query.subscribe, query.state);
  const generation = useConnection((connection) => connection.generation);
  const key = input === null ? '' : `${name} ${JSON.stringify(input)}`;

  useEffect(() => {
    if (key === '') query.stop();
    // The key is name and input, written out: the input itself is another object in every render.
    else query.want(key, name, JSON.parse(key.slice(name.length + 1)) as RequestInput<Name>);
  }, [query, key, name]);
  useEffect(() => () => query.stop(), [query]);
  useEffect(() => {
    // The first generation is the connection that the first request waits for.
    if (generation > 1) query.reload();
  }, [query, generation]);

  const { reload } = query;
  if (key === '') return { data: null, error: null, loading: false, stale: false, reload };
  const fresh = state.dataKey === key;
  const data = fresh || options.keepPrevious ? state.data : null;
  const error = state.key === key ? state.error : null;
  return {
    data,
    error: error?.code === 'disconnected' && data !== null ? null : error,
    // Before the effect has run, the state still is the earlier input's.
    loading: state.key !== key || state.loading,
    stale: data !== null && !fresh,
    reload,
  };
}
