/**
 * One question that a screen keeps asking: the state machine under `useQuery`, without React. Answers to an earlier question are dropped; asking again
 * while an answer is under way waits for it and then asks once more, so that pushes which come faster than answers cannot starve the screen.
 */
import type { RequestName } from '../../main/contract/window/names.ts';
import type { RequestAnswer, RequestInput } from '../../main/contract/window/requests.ts';
import { CallError } from './call-error.ts';

export interface QueryState<Answer> {
  /** Of the question that was asked last; '' before the first. */
  key: string;
  data: Answer | null;
  /** Of the question that `data` answers. */
  dataKey: string;
  error: CallError | null;
  loading: boolean;
}

export class Query<Name extends RequestName> {
  readonly #ask: (name: Name, input: RequestInput<Name>) => Promise<RequestAnswer<Name>>;
  readonly #listeners = new Set<() => void>();
  #state: QueryState<RequestAnswer<Name>> = { key: '', data: null, dataKey: '', error: null, loading: false };
  #wanted: { name: Name; input: RequestInput<Name> } | null = null;
  #turn = 0;
  #again = false;

  constructor(ask: (name: Name, input: RequestInput<Name>) => Promise<RequestAnswer<Name>>) {
    this.#ask = ask;
  }

  readonly state = (): QueryState<RequestAnswer<Name>> => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Asks, unless `key` is what was asked last. */
  want(key: string, name: Name, input: RequestInput<Name>): void {
    if (this.#wanted !== null && this.#state.key === key) return;
    this.#wanted = { name, input };
    this.#start(key);
  }

  /** Asks nothing any more; what was answered stays. */
  stop(): void {
    this.#wanted = null;
    this.#turn++;
    this.#again = false;
    if (this.#state.loading) this.#publish({ ...this.#state, loading: false });
  }

  readonly reload = (): void => {
    if (this.#wanted === null) return;
    if (this.#state.loading) this.#again = true;
    else this.#start(this.#state.key);
  };

  #start(key: string): void {
    const wanted = this.#wanted;
    if (wanted === null) return;
    const turn = ++this.#turn;
    this.#again = false;
    this.#publish({ ...this.#state, key, error: key === this.#state.key ? this.#state.error : null, loading: true });
    this.#ask(wanted.name, wanted.input).then(
      (data) => this.#settle(turn, { key, data, dataKey: key, error: null, loading: false }),
      (fault: unknown) => this.#settle(turn, { ...this.#state, key, error: CallError.from(fault), loading: false }),
    );
  }

  #settle(turn: number, state: QueryState<RequestAnswer<Name>>): void {
    if (turn !== this.#turn) return;
    this.#publish(state);
    if (this.#again) this.#start(state.key);
  }

  #publish(state: QueryState<RequestAnswer<Name>>): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
