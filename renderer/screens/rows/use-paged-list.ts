/** A paged list inside a scrolling region: which items are visible, and the fetching of theirs. */
import { useEffect, useState, useSyncExternalStore, type RefObject } from 'react';
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import type { Page } from '../../../main/contract/window/rows.ts';
import { useConnection } from '../../api/connection.ts';
import { PagedList, type ListState } from './paged-list.ts';

export interface ShownList<Item> extends ListState {
  at: (index: number) => Item | undefined;
  virtualizer: Virtualizer<HTMLDivElement, Element>;
}

/** `fetch` counts only when the component is first shown: give it another key for another list. `height`: of every item, pixels. */
export function usePagedList<Item>(
  fetch: (from: number, count: number) => Promise<Page<Item>>,
  region: RefObject<HTMLDivElement | null>,
  height: number,
  start = 0,
): ShownList<Item> {
  'use no memo';
  const [list] = useState(() => new PagedList<Item>(fetch));
  const state = useSyncExternalStore(list.subscribe, list.state);
  const generation = useConnection((connection) => connection.generation);
  // The library's object changes under the same reference; 'use no memo' above is the answer to that.
  // eslint-disable-next-line react-hooks/incompatible-library
  const virtualizer = useVirtualizer<HTMLDivElement, Element>({
    count: state.total ?? 0,
    getScrollElement: () => region.current,
    estimateSize: () => height,
    overscan: 12,
    initialOffset: Math.max(0, (start - 4) * height),
  });
  const items = virtualizer.getVirtualItems();
  const first = items[0]?.index ?? start;
  const last = items.at(-1)?.index ?? start;
  useEffect(() => list.need(first, last), [list, first, last, generation]);
  // The total comes with the first page, whatever is looked at.
  useEffect(() => {
    if (list.state().total === null) list.need(0, 0);
  }, [list, generation]);
  return { ...state, at: (index) => list.at(index), virtualizer };
}
