/**
 * Which rows are compared, and in which role. The same pool, settings and seed give the same rows, so that a failure can be looked at again. Families take turns, and within one
 * its rows are drawn: a family with few rows is compared too.
 */
import type { PoolRow } from '../contract/pool.ts';
import { AppError } from '../contract/errors.ts';
import { compareCodePoints } from '../text/code-points.ts';
import { PythonRandom } from '../plan/python-random.ts';
import { adapterPresets } from '../recipes/webmix/families.ts';

/** Every loss that a webmix run has: cross-entropy over the whole answer and over its action, and the KL anchor. */
export type VerifyRole = 'ce' | 'ce-action' | 'kl';

export interface DrawnRow {
  row: PoolRow;
  role: VerifyRole;
}

export interface DrawSettings {
  /** A preset of families; null: `families`, or pooled where the pool has any family of it, else every family. */
  adapter: string | null;
  families: readonly string[] | null;
  rows: number;
  seed: number;
}

/** At most `settings.rows` rows. Cross-entropy goes to the chosen families, KL to the others where there are any, as in a run. Throws AppError: unknown-adapter, unknown-family, no-rows. */
export function drawRows(rows: readonly PoolRow[], settings: DrawSettings): DrawnRow[] {
  if (rows.length === 0)
    throw new AppError(
      'no-rows',
      'the rows folders hold no row that can be used',
      'Give a folder of episodes with --rows.',
    );
  const present = [...new Set(rows.map(({ family }) => family))].sort(compareCodePoints);
  const chosen = new Set(chooseFamilies(present, settings));
  const own = rows.filter(({ family }) => chosen.has(family));
  const others = rows.filter(({ family }) => !chosen.has(family));
  const random = new PythonRandom(settings.seed);
  const wanted = Math.min(settings.rows, rows.length);
  // Every third visit is an anchor's, or more where the chosen families have too few rows.
  const anchors = Math.min(others.length, Math.max(Math.floor(wanted / 3), wanted - own.length));
  const drawnOwn = inTurns(own, wanted - anchors, random);
  const drawnOthers = inTurns(others, anchors, random);
  const cycle: readonly VerifyRole[] = others.length > 0 ? ['ce', 'ce-action'] : ['ce', 'ce-action', 'kl'];
  const roles = drawnOwn.map((_, index) => cycle[index % cycle.length] ?? 'ce');
  // The families come in turns, and so do the roles: without this they could go together.
  random.shuffle(roles);
  return [
    ...drawnOwn.map((row, index) => ({ row, role: roles[index] ?? 'ce' })),
    ...drawnOthers.map((row): DrawnRow => ({ row, role: 'kl' })),
  ];
}

function chooseFamilies(present: readonly string[], { adapter, families }: DrawSettings): readonly string[] {
  if (adapter !== null && families !== null)
    throw new AppError('usage', `--adapter is ${adapter}, but --families are listed too`, 'Give one of them.');
  const preset = adapter === null ? undefined : adapterPresets[adapter];
  if (adapter !== null && preset === undefined)
    throw new AppError(
      'unknown-adapter',
      `there is no adapter preset ${JSON.stringify(adapter)}`,
      `Presets are ${Object.keys(adapterPresets).join(', ')}.`,
    );
  const wished = families ?? preset;
  const there = (wished ?? adapterPresets['pooled'] ?? []).filter((family) => present.includes(family));
  if (there.length > 0) return there;
  if (wished === undefined) return present;
  throw new AppError(
    'unknown-family',
    `no row is of the family ${wished.join(', ')}`,
    `Families in the rows: ${present.join(', ')}.`,
  );
}

/** `count` rows: one of each family in turn, by name, until there are enough. Throws RangeError where there are fewer. */
function inTurns(rows: readonly PoolRow[], count: number, random: PythonRandom): PoolRow[] {
  const byFamily = new Map<string, PoolRow[]>();
  for (const row of rows) byFamily.set(row.family, [...(byFamily.get(row.family) ?? []), row]);
  const queues = [...byFamily.keys()].sort(compareCodePoints).map((family) => {
    const of = byFamily.get(family) ?? [];
    return random.sample(of, Math.min(of.length, count));
  });
  const drawn: PoolRow[] = [];
  for (let turn = 0; drawn.length < count; turn += 1) {
    const before = drawn.length;
    for (const queue of queues) {
      const row = queue[turn];
      if (row !== undefined && drawn.length < count) drawn.push(row);
    }
    if (drawn.length === before) throw new RangeError(`there are no ${count} rows`);
  }
  return drawn;
}
