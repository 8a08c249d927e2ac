/** A pool as it is browsed: every row under a name that is unique in the pool, and pages of those that match a filter. */
import type { Pool, PoolRow } from '../../contract/pool.ts';
import type { EpisodeItem, OpenPool, Page, RowDetail, RowFilter, RowItem } from '../../contract/window/rows.ts';
import { variantNames, variantOf } from '../../recipes/webmix/variants.ts';
import { rowMatcher } from './row-filter.ts';
import { countRows } from '../count-rows.ts';

/** How many filters' results are kept: going back and forth between a few costs nothing. */
const keptFilters = 8;
/** Bad rows that go to the window; the count says how many there are. */
const shownBad = 100;

export type Facts = Omit<OpenPool, 'opened'>;

interface Matches {
  /** Indices of rows, ascending. */
  rows: number[];
  /** One an episode that has such rows, in the pool's order. */
  episodes?: EpisodeItem[];
}

export class OpenedPool {
  readonly pool: Pool;
  readonly #items: RowItem[];
  readonly #places = new Map<string, number>();
  readonly #matches = new Map<string, Matches>();

  constructor(pool: Pool) {
    this.pool = pool;
    const names = episodeNames(pool.rows);
    this.#items = pool.rows.map((row, index): RowItem => ({
      index,
      episode: names[index] ?? row.episode,
      line: row.line,
      taskId: row.taskId,
      step: row.step,
      family: row.family,
      variant: variantOf(row.taskId),
      operation: row.op,
      memoryBy: row.memoryBy,
      images: row.images.length,
    }));
    for (const { index, episode, line } of this.#items) this.#places.set(placeKey(episode, line), index);
  }

  facts(address: string): Facts {
    const { rows, bad, folders, leftOut } = this.pool;
    const variants = count(this.#items.map(({ variant }) => variant));
    return {
      pool: address,
      folders: [...folders],
      episodes: new Set(this.#items.map(({ episode }) => episode)).size,
      rows: rows.length,
      families: countRows(rows.map(({ family }) => family)),
      variants: variantNames.flatMap((name) => {
        const rowsOf = variants.get(name);
        return rowsOf === undefined ? [] : [{ name, rows: rowsOf }];
      }),
      operations: countRows(rows.map(({ op }) => op ?? '')),
      badCount: bad.length,
      bad: bad.slice(0, shownBad),
      leftOut: { ...leftOut },
    };
  }

  list(filter: RowFilter, from: number, size: number): Page<RowItem> {
    const { rows } = this.#match(filter);
    const items = rows.slice(from, from + size).flatMap((index) => this.#items[index] ?? []);
    return { total: rows.length, from, items };
  }

  episodes(filter: RowFilter, from: number, size: number): Page<EpisodeItem> {
    const matches = this.#match(filter);
    const episodes = (matches.episodes ??= this.#episodesOf(matches.rows));
    return { total: episodes.length, from, items: episodes.slice(from, from + size) };
  }

  find(episode: string, line: number): { row: PoolRow; item: RowItem } | undefined {
    const index = this.#places.get(placeKey(episode, line));
    const row = index === undefined ? undefined : this.pool.rows[index];
    const item = index === undefined ? undefined : this.#items[index];
    return row && item && { row, item };
  }

  /** The row's place among those that match, and its neighbours there; a row that does not match has the neighbours it would have. */
  around(index: number, filter: RowFilter): Pick<RowDetail, 'place' | 'previous' | 'next'> {
    const { rows } = this.#match(filter);
    const at = lowerBound(rows, index);
    const isIn = rows[at] === index;
    const name = (of: number | undefined): RowDetail['next'] => {
      const item = of === undefined ? undefined : this.#items[of];
      return item ? { episode: item.episode, line: item.line } : null;
    };
    return {
      place: { at: isIn ? at : null, of: rows.length },
      previous: name(rows[at - 1]),
      next: name(rows[isIn ? at + 1 : at]),
    };
  }

  #match(filter: RowFilter): Matches {
    const key = JSON.stringify([filter.text, filter.families, filter.variants, filter.operations, filter.episode]);
    const known = this.#matches.get(key);
    this.#matches.delete(key);
    const matches = known ?? { rows: this.#search(filter) };
    this.#matches.set(key, matches);
    for (const oldest of this.#matches.keys()) {
      if (this.#matches.size <= keptFilters) break;
      this.#matches.delete(oldest);
    }
    return matches;
  }

  #search(filter: RowFilter): number[] {
    const matches = rowMatcher(filter);
    return this.#items.flatMap((item) => (matches(item) ? item.index : []));
  }

  #episodesOf(rows: readonly number[]): EpisodeItem[] {
    const episodes = new Map<string, EpisodeItem>();
    for (const index of rows) {
      const item = this.#items[index];
      if (!item) continue;
      const { episode, taskId, family, variant } = item;
      const known = episodes.get(episode);
      if (!known) episodes.set(episode, { name: episode, taskId, rows: 1, families: [family], variant });
      else {
        known.rows++;
        if (!known.families.includes(family)) known.families.push(family);
      }
    }
    return [...episodes.values()];
  }
}

/** Two rows folders may have an episode of the same name: the later one gets the number of its kind, as in `ep-12 (2)`. One name a row. */
function episodeNames(rows: readonly PoolRow[]): string[] {
  const taken = new Set(rows.map(({ episode }) => episode));
  const nameOf = new Map<string, string>();
  const used = new Map<string, number>();
  return rows.map(({ episode, folder }) => {
    const key = JSON.stringify([episode, folder]);
    const known = nameOf.get(key);
    if (known !== undefined) return known;
    let times = (used.get(episode) ?? 0) + 1;
    let name = episode;
    if (times > 1) {
      while (taken.has(`${episode} (${times})`)) times++;
      name = `${episode} (${times})`;
      taken.add(name);
    }
    used.set(episode, times);
    nameOf.set(key, name);
    return name;
  });
}

const placeKey = (episode: string, line: number): string => `${line}/${episode}`;

function count(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Index of the first entry that is not below `value`. */
function lowerBound(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? Infinity) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
