/**
 * A long list of which only the pages that are looked at are fetched. Made anew for another filter or pool; an answer that fails is asked again when its page
 * is looked at again.
 */
import type { Page } from '../../../main/contract/window/rows.ts';
import { CallError } from '../../api/call-error.ts';

export const pageSize = 200;

export interface ListState {
  /** null: not known yet. */
  total: number | null;
  error: CallError | null;
  /** Goes up with every answer. */
  version: number;
}

export class PagedList<Item> {
  readonly #fetch: (from: number, count: number) => Promise<Page<Item>>;
  readonly #pages = new Map<number, readonly Item[]>();
  readonly #asked = new Set<number>();
  readonly #listeners = new Set<() => void>();
  #state: ListState = { total: null, error: null, version: 0 };

  constructor(fetch: (from: number, count: number) => Promise<Page<Item>>) {
    this.#fetch = fetch;
  }

  readonly state = (): ListState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  at(index: number): Item | undefined {
    return this.#pages.get(Math.floor(index / pageSize))?.[index % pageSize];
  }

  /** Fetches what is missing of `first` to `last`. */
  need(first: number, last: number): void {
    for (let page = Math.floor(Math.max(0, first) / pageSize); page <= Math.floor(last / pageSize); page++) {
      if (this.#asked.has(page) || (this.#state.total !== null && page > 0 && page * pageSize >= this.#state.total))
        continue;
      this.#asked.add(page);
      this.#fetch(page * pageSize, pageSize).then(
        ({ total, items }) => {
          this.#pages.set(page, items);
          this.#publish({ total, error: null });
        },
        (fault: unknown) => {
          this.#asked.delete(page);
          this.#publish({ error: CallError.from(fault) });
        },
      );
    }
  }

  #publish(change: Partial<ListState>): void {
    this.#state = { ...this.#state, ...change, version: this.#state.version + 1 };
    for (const listener of this.#listeners) listener();
  }
}
