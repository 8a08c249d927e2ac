import { expect, it } from 'vitest';
import type { Census } from '../../../main/contract/census.ts';
import { accountsOf, leftOutBefore } from './accounts.ts';
import { secondsByRole } from './try-figures.ts';

const family = (name: string, own: boolean, rows: number, ce: number, anchors: number, heldOut: number) => ({
  ...{ name, own, rows, ce, anchors, heldOut },
});
const role = (name: string, visits: number, fallback: number | null) => ({
  ...{
    name,
    visits,
    rows: visits,
    supervisedTokens: 10 * visits,
    tokens: 100 * visits,
    longest: null,
    fallback,
    zero: 0,
  },
});

/** The demo's rows with the preset drag, as the census counts them. */
const census = {
  poolRows: 179,
  ceRows: 18,
  anchorPool: 121,
  anchorRowsPerEpoch: { planned: 9, real: 9 },
  heldOutRows: 4,
  families: [
    family('Drag & gesture', true, 22, 18, 0, 4),
    family('Discrete selection', false, 27, 0, 23, 0),
    family('Form transaction', false, 35, 0, 31, 0),
    family('Navigation', false, 27, 0, 19, 0),
    family('Out-of-page I/O', false, 26, 0, 20, 0),
    family('Reasoning base', false, 17, 0, 11, 0),
    family('Text entry', false, 25, 0, 17, 0),
  ],
  filters: [
    { name: 'inject', meaning: 'injected mistakes', rows: 7 },
    { name: 'aug-prefix', meaning: 'copies that lead up to an injected mistake', rows: 7 },
    { name: 'bad', meaning: 'rows that cannot be used', rows: 2 },
    { name: 'held-out', meaning: "held out, of the adapter's families", rows: 4 },
    { name: 'held-out-other', meaning: 'held out, of other families', rows: 36 },
  ],
  roles: [role('ce', 54, null), role('kl', 27, 0)],
} as unknown as Census;

const total = (of: Census): number => {
  const { roles, heldOut, unused } = accountsOf(of);
  return (
    heldOut + [...roles.map((line) => line.perEpoch ?? 0), ...unused.map(({ rows }) => rows)].reduce((a, b) => a + b)
  );
};

it('adds up to all readable rows', () => {
  const accounts = accountsOf(census);
  expect(accounts.unused).toEqual([
    { rows: 112, about: 'of the anchor pool, not drawn in epoch 1' },
    { rows: 36, about: 'held out, of other families' },
  ]);
  expect(accounts.roles.map(({ about, perEpoch, fallback }) => [about, perEpoch, fallback])).toEqual([
    ['Drag & gesture', 18, null],
    ['anchor, 6 others', 9, 0],
  ]);
  expect(total(census)).toBe(census.poolRows);
});

it('says rows beyond the limit, and those that no line accounts for', () => {
  const limited = { ...census, ceRows: 10, anchorRowsPerEpoch: { planned: 5, real: 5 } };
  expect(accountsOf(limited).unused).toContainEqual({ rows: 8, about: 'beyond the limit' });
  expect(total(limited)).toBe(census.poolRows);
  const wrong = { ...census, poolRows: 180 };
  expect(accountsOf(wrong).unused).toContainEqual({ rows: 1, about: 'not accounted for' });
});

it('names rows that were never in the pool apart', () => {
  expect(leftOutBefore(census).map(({ rows }) => rows)).toEqual([7, 7]);
});

it('takes the mean of the tried rows, a role, reference included', () => {
  const row = (name: string, forwardSeconds: number, referenceSeconds: number) => ({
    ...{ role: name, name, tokens: 1, targets: 1, forwardSeconds, backwardSeconds: 1, referenceSeconds, peakGib: 1 },
  });
  expect(secondsByRole({ rows: [row('ce', 1, 0), row('ce', 2, 0), row('kl', 1, 0.5)] })).toEqual([
    { role: 'ce', seconds: 2.5, rows: 2 },
    { role: 'kl', seconds: 2.5, rows: 1 },
  ]);
});
