/** Where every readable row of the pool goes: trained, held out, or not used and why. The lines add up, or the difference is a line of its own. */
import type { Census } from '../../../main/contract/census.ts';

export interface RoleLine {
  role: string;
  /** What it is about, in words. */
  about: string;
  perEpoch: number | null;
  inAll: number;
  tokens: number;
  /** null: the role does not weigh by action. */
  fallback: number | null;
  zero: number;
}

export interface UnusedLine {
  rows: number;
  about: string;
}

export interface Accounts {
  roles: RoleLine[];
  heldOut: number;
  unused: UnusedLine[];
}

/** Left out before the pool is counted, so not among its rows. */
const outside = new Set(['inject', 'aug-prefix', 'bad']);
/** Has a line of its own. */
const ownLine = 'held-out';

export function accountsOf(census: Census): Accounts {
  const own = census.families.filter((family) => family.own);
  const others = census.families.filter((family) => !family.own && family.anchors > 0).length;
  const about = (role: string): string => {
    if (role === 'ce') return own.length <= 2 ? own.map(({ name }) => name).join(', ') : `${own.length} families`;
    if (role === 'kl' && census.anchorRowsPerEpoch.real === 0) return 'no anchor rows';
    return role === 'kl' ? `anchor, ${others} ${others === 1 ? 'other' : 'others'}` : '';
  };
  const perEpoch: Record<string, number> = { ce: census.ceRows, kl: census.anchorRowsPerEpoch.real };
  const roles = census.roles.map((role) => ({
    role: role.name,
    about: about(role.name),
    perEpoch: perEpoch[role.name] ?? null,
    inAll: role.visits,
    tokens: role.supervisedTokens,
    fallback: role.fallback,
    zero: role.zero,
  }));
  const beforeLimit = census.families.reduce((sum, family) => sum + family.ce, 0);
  const anchors = census.anchorRowsPerEpoch.real;
  const unused = [
    { rows: census.anchorPool - anchors, about: 'of the anchor pool, not drawn in epoch 1' },
    { rows: beforeLimit - census.ceRows, about: 'beyond the limit' },
    ...census.filters
      .filter(({ name }) => !outside.has(name) && name !== ownLine)
      .map(({ rows, meaning }) => ({ rows, about: meaning })),
  ].filter((line) => line.rows > 0);
  const told = census.ceRows + anchors + census.heldOutRows + unused.reduce((sum, { rows }) => sum + rows, 0);
  if (told !== census.poolRows) unused.push({ rows: census.poolRows - told, about: 'not accounted for' });
  return { roles, heldOut: census.heldOutRows, unused };
}

/** Rows that were never in the pool, and why; those that cannot be used are said where each of them is named. */
export function leftOutBefore(census: Census): UnusedLine[] {
  return census.filters
    .filter(({ name, rows }) => outside.has(name) && name !== 'bad' && rows > 0)
    .map(({ rows, meaning }) => ({ rows, about: meaning }));
}
