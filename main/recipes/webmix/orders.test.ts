/** Orders of webmix against those that a plain Python script plays (golden/make_orders.py). */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { evaluationSets } from './evaluations.ts';
import { planWebmix, prepareWebmix } from './plan.ts';
import { madePool, madeTarget } from './testing/made-pool.ts';

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
const cases = golden.cases.map(({ ranks, settings, wanted }) => {
  const shown = Object.entries(settings).map(([k, v]) => `${k} ${k === 'episodeIds' ? '...' : JSON.stringify(v)}`);
  return { title: `${shown.join(', ')} on ${ranks} ranks`, ranks, settings, wanted };
});

it.each(cases)('$title', ({ ranks, settings, wanted }) => {
  const draft = prepareWebmix(settings, pool, ranks);
  const { plan, census } = planWebmix(draft, madeTarget(pool));
  const { order, steps, actions } = plan.phases[0]!;
  const visits = order.row.map((row, i) => {
    const poolRow = draft.planRows[row]!;
    return `${poolRow}/${plan.roles[order.role[i]!]!.name}/${order.epoch[i]!}/${order.step[i]!}/${order.rank[i]!}`;
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
