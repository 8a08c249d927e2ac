/**
 * Which rows of a pool a run trains on, draws anchors from, and holds out. The order of the filters is the Python trainer's, and decides what each of them is
 * said to have removed: variants and `done` steps go first and from the held-out rows too; fraction and episode list thin out the training rows only.
 */
import { AppError } from '../../contract/errors.ts';
import type { CensusFilter, CensusWarning } from '../../contract/census.ts';
import type { Pool, PoolRow } from '../../contract/pool.ts';
import { knownFamilies, sortedLikePython } from './families.ts';
import { chosenFamilies } from './settings.ts';
import type { WebmixSettings } from './settings.ts';
import { isListed, Splits, trajectoriesOf } from './splits.ts';
import { variantOf } from './variants.ts';

/** Rows are indices into `pool.rows`, in pool order. */
export interface Selection {
  /** The adapter's families, in code-point order. */
  wantedFamilies: readonly string[];
  ce: readonly number[];
  /** Rows of other families that anchors are drawn from; empty with beta 0. */
  anchors: readonly number[];
  /** Held-out rows of the adapter's families. */
  heldOut: readonly number[];
  /** Rows a family has in the pool. */
  familyRows: ReadonlyMap<string, number>;
  filters: readonly CensusFilter[];
  warnings: readonly CensusWarning[];
}

type Fate =
  | 'recovery'
  | 'chain'
  | 'plain'
  | 'done'
  | 'held-out'
  | 'held-out-other'
  | 'frac'
  | 'episodes'
  | 'no-anchor'
  | 'ce'
  | 'anchor';

const removals: Partial<Record<Fate, string>> = {
  recovery: 'recovery variants',
  chain: 'chains',
  plain: 'plain episodes',
  done: 'final done steps',
  'held-out': "held out, of the adapter's families",
  'held-out-other': 'held out, of other families',
  frac: 'outside the fraction of episodes',
  episodes: 'not in the episode list',
  'no-anchor': 'of other families, without an anchor (beta 0)',
};

/** Throws AppError: unknown-family, episodes-not-found, no-rows. */
export function selectRows(settings: WebmixSettings, pool: Pool): Selection {
  const wanted = sortedLikePython(new Set(chosenFamilies(settings)));
  const familyRows = countFamilies(pool.rows);
  const warnings = checkFamilies(settings, wanted, familyRows);
  const ids = settings.episodeIds === null ? null : new Set(settings.episodeIds);
  if (ids !== null) warnings.push(...checkEpisodes(ids, pool.rows));

  const chosen = new Set(wanted);
  const excluded = new Set<string>(settings.excludeVariants);
  const splits = new Splits();
  const fateOf = (row: PoolRow): Fate => {
    const own = chosen.has(row.family);
    const variant = variantOf(row.taskId);
    if (excluded.has(variant)) return variant;
    if (settings.dropDone && row.op === 'done') return 'done';
    if (splits.isHeldOut(row)) return own ? 'held-out' : 'held-out-other';
    if (!splits.isInFraction(row, settings.frac)) return 'frac';
    if (!isListed(row, ids)) return 'episodes';
    if (own) return 'ce';
    return settings.beta > 0 ? 'anchor' : 'no-anchor';
  };

  const byFate = new Map<Fate, number[]>();
  pool.rows.forEach((row, index) => {
    const fate = fateOf(row);
    const list = byFate.get(fate);
    if (list) list.push(index);
    else byFate.set(fate, [index]);
  });
  const ce = byFate.get('ce') ?? [];
  if (ce.length === 0) throw noRows(pool, chosen, byFate);

  const filters: CensusFilter[] = [
    { name: 'inject', meaning: 'injected mistakes', rows: pool.leftOut.inject },
    { name: 'aug-prefix', meaning: 'copies that lead up to an injected mistake', rows: pool.leftOut.augPrefix },
    { name: 'bad', meaning: 'rows that cannot be used', rows: pool.bad.length },
  ];
  for (const [fate, meaning] of Object.entries(removals))
    filters.push({ name: fate, meaning, rows: byFate.get(fate as Fate)?.length ?? 0 });
  if (settings.limit > 0)
    filters.push({ name: 'limit', meaning: 'CE rows over the limit', rows: Math.max(0, ce.length - settings.limit) });
  return {
    wantedFamilies: wanted,
    ce,
    anchors: byFate.get('anchor') ?? [],
    heldOut: byFate.get('held-out') ?? [],
    familyRows,
    filters: filters.filter((filter) => filter.rows > 0),
    warnings,
  };
}

function countFamilies(rows: readonly PoolRow[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(row.family, (counts.get(row.family) ?? 0) + 1);
  return counts;
}

const listCounts = (counts: ReadonlyMap<string, number>): string =>
  sortedLikePython(counts.keys())
    .map((name) => `${name} (${counts.get(name) ?? 0})`)
    .join(', ');

/** A family named by the user has to be there; of a preset, one family at least, and the rest is a warning. */
function checkFamilies(
  settings: WebmixSettings,
  wanted: readonly string[],
  familyRows: ReadonlyMap<string, number>,
): CensusWarning[] {
  const absent = wanted.filter((family) => !familyRows.has(family));
  const hint =
    familyRows.size === 0 ? 'The pool has no rows at all.' : `Families in the pool (rows): ${listCounts(familyRows)}.`;
  if (absent.length > 0 && (settings.families !== null || absent.length === wanted.length))
    throw new AppError('unknown-family', `no row of the pool is of the family ${absent.join(', ')}`, hint);
  const warnings: CensusWarning[] = [];
  if (absent.length > 0)
    warnings.push({
      code: 'families-absent',
      message: `the preset ${settings.adapter ?? ''} names families that the pool has no rows of: ${absent.join(', ')}`,
    });
  const known: readonly string[] = knownFamilies;
  const strange = new Map([...familyRows].filter(([family]) => !known.includes(family) && !wanted.includes(family)));
  if (strange.size > 0) {
    const use = settings.beta > 0 ? 'they go into the anchor pool' : 'they are not used';
    warnings.push({
      code: 'families-unknown',
      message: `the pool has families outside the known seven: ${listCounts(strange)}; ${use}`,
    });
  }
  return warnings;
}

function checkEpisodes(ids: ReadonlySet<string>, rows: readonly PoolRow[]): CensusWarning[] {
  const missing = new Set(ids);
  for (const row of rows) for (const id of trajectoriesOf(row)) missing.delete(id);
  const some = [...missing].slice(0, 3).join(', ');
  if (missing.size === ids.size)
    throw new AppError(
      'episodes-not-found',
      ids.size === 0
        ? 'the episode list is empty'
        : `none of the ${ids.size} ids of the episode list is in the pool, e.g. ${some}`,
      `Ids are task ids up to the first "~", or parts of chains, with white space between them${
        rows[0] ? `; the pool's first is ${trajectoriesOf(rows[0])[0] ?? ''}` : ''
      }.`,
    );
  if (missing.size === 0) return [];
  return [
    {
      code: 'episodes-missing',
      message: `${missing.size} of ${ids.size} ids of the episode list are not in the pool, e.g. ${some}`,
    },
  ];
}

function noRows(pool: Pool, chosen: ReadonlySet<string>, byFate: ReadonlyMap<Fate, readonly number[]>): AppError {
  const lines: string[] = [];
  let own = 0;
  for (const [fate, indices] of byFate) {
    const count = indices.filter((index) => chosen.has(pool.rows[index]?.family ?? '')).length;
    own += count;
    if (count > 0) lines.push(`${count} ${removals[fate] ?? fate}`);
  }
  return new AppError(
    'no-rows',
    `no row is left to train on: of ${own} rows of ${[...chosen].join(', ')}, filters removed ${lines.join('; ')}`,
    'Loosen a filter (--frac, --episode-ids, --exclude-variants, --drop-done), or name other families.',
  );
}
