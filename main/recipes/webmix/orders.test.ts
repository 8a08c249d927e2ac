/** Orders of webmix against those that a plain Python script plays (golden/make_orders.py). */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { evaluationSets } from './evaluations.ts';
import { planWebmix, prepareWebmix } from './plan.ts';
import { madeEncoding, madePool, madeTarget } from './testing/made-pool.ts';

const wantedSchema = z.object({
  ce: z.number(),
  pool: z.number(),
  anchors: z.number(),
  validation: z.array(z.number()),
  visits: z.number(),
  plannedSteps: z.number(),
  steps: z.number(),
  warmup: z.number(),
  accumulation: z.number(),
  saves: z.array(z.tuple([z.string(), z.number()])),
  first: z.array(z.string()),
  last: z.array(z.string()),
  sha256: z.string(),
});
const golden = z
  .object({
    families: z.array(z.string()),
    pool: z.array(z.tuple([z.string(), z.number(), z.string().nullable(), z.array(z.string()).nullable()])),
    cases: z.array(z.object({ ranks: z.number(), settings: z.record(z.string(), z.unknown()), wanted: wantedSchema })),
  })
  .parse(JSON.parse(readFileSync(new URL('golden/orders.golden.json', import.meta.url), 'utf8')));

const pool = madePool(
  golden.pool.map(([taskId, family, op, parts]) => ({ taskId, family: golden.families[family] ?? '', op, parts })),
);
/** Some rows have no target in the action, as golden/make_orders.py counts on. */
const encoded = madeEncoding(pool, (row) => (Number.parseInt(row.key, 16) % 11 === 0 ? { actionTargets: 0 } : {}));
const cases = golden.cases.map(({ ranks, settings, wanted }) => {
  const shown = Object.entries(settings).map(([k, v]) => `${k} ${k === 'episodeIds' ? '...' : JSON.stringify(v)}`);
  const parts = { ranks, settings, wanted };
  return { title: `${shown.join(', ')} on ${ranks} ranks`, ...parts };
});

it.each(cases)('$title', ({ ranks, settings, wanted }) => {
  const draft = prepareWebmix(settings, pool, ranks);
  const { plan, census } = planWebmix(draft, madeTarget(pool, { encoded }));
  const { order, steps, actions } = plan.phases[0]!;
  /** The coefficient is a role's weight over a whole number. */
  const divisorOf = (role: string, i: number): number => {
    const divisor = (role === 'kl' ? draft.settings.beta : 1) / order.coefficient[i]!;
    expect(Math.abs(divisor - Math.round(divisor))).toBeLessThan(1e-9 * divisor);
    return Math.round(divisor);
  };
  const visits = order.row.map((row, i) => {
    const poolRow = draft.planRows[row]!;
    const role = plan.roles[order.role[i]!]!.name;
    return `${poolRow}/${role}/${order.epoch[i]!}/${order.step[i]!}/${order.rank[i]!}/${divisorOf(role, i)}`;
  });
  // One row a forward: a rank's forwards of a step count on, over the end of an epoch too.
  const forwards = new Map<string, number>();
  order.forward.forEach((forward, i) => {
    const place = `${order.step[i]!}/${order.rank[i]!}`;
    const expected = forwards.get(place) ?? 0;
    if (forward !== expected)
      throw new Error(`visit ${i} is forward ${forward} of step/rank ${place}, not ${expected}`);
    forwards.set(place, expected + 1);
  });
  expect({
    ce: census.ceRows,
    pool: census.anchorPool,
    anchors: census.anchorRowsPerEpoch.planned,
    validation: evaluationSets(draft.selection.heldOut, 0).get('val_end') ?? [],
    visits: visits.length,
    plannedSteps: plan.schedule.kind === 'warmup_cosine' ? plan.schedule.total_steps : 0,
    steps,
    warmup: plan.schedule.kind === 'warmup_cosine' ? plan.schedule.warmup_steps : 0,
    accumulation: census.accumulation,
    saves: actions
      .filter((action) => action.save !== undefined && action.save !== 'final')
      .map((action) => [action.save, action.after_rows]),
    first: visits.slice(0, 20),
    last: visits.slice(-3),
    sha256: createHash('sha256').update(visits.join(' ')).digest('hex'),
  }).toEqual(wanted);
});

it('has every kind of setting that changes an order, on every number of ranks', () => {
  const settings = golden.cases.map((each) => each.settings);
  const names = new Set(settings.flatMap((each) => Object.keys(each)));
  const wanted =
    'adapter families epochs gradAccum beta anchorRatio limit maxSteps saveEvery seed excludeVariants frac';
  for (const name of `${wanted} episodeIds dropDone ceOn initAdapter`.split(' ')) expect(names).toContain(name);
  expect(new Set(golden.cases.map(({ ranks }) => ranks))).toEqual(new Set([1, 2, 3, 4, 5, 8, 16]));
  const different = new Set(golden.cases.map((each) => JSON.stringify([each.ranks, each.settings])));
  expect(different.size).toBe(33);
  // Steps that begin in one epoch and end in the next, and epochs that are shorter than planned.
  expect(golden.cases.some(({ wanted: w }) => w.steps !== w.plannedSteps)).toBe(true);
  expect(golden.cases.some(({ wanted: w }) => w.anchors > w.pool && w.pool > 0)).toBe(true);
});
