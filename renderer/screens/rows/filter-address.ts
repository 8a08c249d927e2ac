/** A row filter in the address, so that a filtered list can be linked to and comes back with the browser's history. */
import { emptyFilter, type RowFilter } from '../../../main/contract/window/rows.ts';

type Query = Readonly<Record<string, string | undefined>>;

/** Names hold spaces and ampersands, hardly ever a comma: only what would confuse the list is escaped. */
const joinNames = (names: readonly string[]): string | undefined =>
  names.length === 0 ? undefined : names.map((name) => name.replaceAll('%', '%25').replaceAll(',', '%2C')).join(',');

function splitNames(text: string | undefined): string[] {
  if (text === undefined) return [];
  return text.split(',').map((name) => name.replaceAll('%2C', ',').replaceAll('%25', '%'));
}

export function filterQuery(
  filter: RowFilter,
): Record<'q' | 'family' | 'variant' | 'op' | 'episode', string | undefined> {
  return {
    q: filter.text === '' ? undefined : filter.text,
    family: joinNames(filter.families),
    variant: joinNames(filter.variants),
    // A row without an operation has the operation '': a list of that alone would look like none.
    op: joinNames(filter.operations.map((name) => (name === '' ? noOperation : name))),
    episode: filter.episode ?? undefined,
  };
}

export function filterOf(query: Query): RowFilter {
  return {
    ...emptyFilter,
    text: (query['q'] ?? '').slice(0, 400),
    families: splitNames(query['family']),
    variants: splitNames(query['variant']),
    operations: splitNames(query['op']).map((name) => (name === noOperation ? '' : name)),
    episode: query['episode'] ?? null,
  };
}

const noOperation = '(none)';

export const isFiltered = (filter: RowFilter): boolean =>
  Object.values(filterQuery(filter)).some((entry) => entry !== undefined);
