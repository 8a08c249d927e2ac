/** Which screen an address means, and the nearest thing that is there when it means none. */
import { formatAddress } from './address.ts';

export const screenNames = ['runs', 'run', 'compare', 'new-run', 'rows', 'row', 'machine', 'states'] as const;
export type ScreenName = (typeof screenNames)[number];
export type Place = 'runs' | 'compare' | 'rows' | 'machine';

export const places: readonly { place: Place; title: string; address: string; key: string }[] = [
  { place: 'runs', title: 'Runs', address: '/runs', key: 'R' },
  { place: 'compare', title: 'Compare', address: '/compare', key: 'C' },
  { place: 'rows', title: 'Rows', address: '/rows', key: 'O' },
  { place: 'machine', title: 'Machine', address: '/machine', key: 'M' },
];

export interface ScreenAtAddress {
  screen: ScreenName;
  /** Marked in the top bar; null: none. */
  place: Place | null;
  /** Another key is another thing: its screen begins anew instead of keeping what it knew of the last. */
  key: string;
}

export type Resolution = ScreenAtAddress | { screen: null; place: null; nearest: { address: string; title: string } };

const nearest = (address: string, title: string): Resolution => ({
  screen: null,
  place: null,
  nearest: { address, title },
});

/** `path` as in Address: decoded parts. */
export function resolveScreen(path: readonly string[]): Resolution {
  const [first = 'runs', ...rest] = path;
  const key = path.join('/');
  switch (first) {
    case 'runs':
      if (rest.length === 0) return { screen: 'runs', place: 'runs', key: 'runs' };
      if (rest.length === 1) return { screen: 'run', place: 'runs', key };
      return nearest(formatAddress(['runs', rest[0] ?? '']), 'the run');
    case 'compare':
      return rest.length === 0 ? { screen: 'compare', place: 'compare', key } : nearest('/compare', 'Compare');
    case 'new':
      return rest.length === 0 ? { screen: 'new-run', place: 'runs', key } : nearest('/new', 'New run');
    case 'rows':
      // One screen for the list and its pools: opening a pool keeps the frame.
      if (rest.length <= 1) return { screen: 'rows', place: 'rows', key: 'rows' };
      if (rest.length === 3) return { screen: 'row', place: 'rows', key: `row/${rest[0] ?? ''}` };
      return nearest(formatAddress(['rows', rest[0] ?? '']), 'the rows');
    case 'machine':
      return rest.length === 0 ? { screen: 'machine', place: 'machine', key } : nearest('/machine', 'Machine');
    case 'states':
      return rest.length === 0 ? { screen: 'states', place: null, key } : nearest('/states', 'the component page');
    default:
      return nearest('/runs', 'Runs');
  }
}
