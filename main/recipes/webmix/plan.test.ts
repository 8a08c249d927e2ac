import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { censusSchema } from '../../contract/census.ts';
import { planSchema } from '../../contract/plan.ts';
import type { Pool, PoolRow } from '../../contract/pool.ts';
import { checkPlan } from '../../plan/check-plan.ts';
import { knownFamilies } from './families.ts';
import { formatCensus } from './format-census.ts';
import { planWebmix, prepareWebmix } from './plan.ts';
import type { WebmixSettingsInput } from './settings.ts';
import { madeEncoding, madeEpisodes, madePool, madeTarget } from './testing/made-pool.ts';

const pool = madeEpisodes(knownFamilies, 40, 4);

function make(
  settings: WebmixSettingsInput,
  ranks = 1,
  rows: Pool = pool,
  changes: Parameters<typeof madeTarget>[1] = {},
) {
  const draft = prepareWebmix(settings, rows, ranks);
  const made = planWebmix(draft, madeTarget(rows, changes));
  return { draft, ...made, phase: made.plan.phases[0]!, codes: made.census.warnings.map((w) => w.code) };
}

describe('plan', () => {
  it.each([1, 2, 3, 8])('is one that the trainer takes, on %i ranks', (ranks) => {
    const { plan, census } = make({ adapter: 'drag', saveEvery: 50 }, ranks);
    expect(planSchema.parse(plan)).toEqual(plan);
    checkPlan(plan);
    expect(censusSchema.parse(census)).toEqual(census);
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
  });

  it('weighs every row the same: coefficients times weights are 1 or beta over accumulation and ranks', () => {
    for (const ceOn of ['all', 'action'] as const) {
      const encoded = madeEncoding(pool, (row) => (row.line === 2 ? { actionTargets: 0 } : {}));
      const { draft, plan, phase } = make({ adapter: 'drag', ceOn, beta: 0.3, gradAccum: 9 }, 2, pool, { encoded });
      expect(plan.roles[0]).toEqual({ name: 'ce', term: 'cross_entropy', weights: ceOn === 'all' ? null : 'action' });
      const roles = new Set<number>();
      phase.order.row.forEach((row, i) => {
        const at = encoded(draft.neededRows[row]!)!;
        const role = phase.order.role[i]!;
        roles.add(role);
        const weights = role === 0 && ceOn === 'all' ? at.targets : Math.max(1, at.actionTargets);
        expect(phase.order.coefficient[i]! * weights).toBeCloseTo((role === 0 ? 1 : 0.3) / (4 * 2), 12);
      });
      expect([...roles].sort()).toEqual([0, 1]);
    }
  });

  it('has the rows that it uses, once, in pool order, in the files where they are', () => {
    const { draft, plan } = make({ adapter: 'drag', limit: 12, maxSteps: 30, heldOutRows: 3 });
    expect(plan.rows.name.length).toBeLessThan(60);
    expect(plan.rows.name).toEqual(draft.neededRows.map((row) => `${row.episode}/rows.jsonl:${row.line}`));
    expect(draft.planRows).toEqual([...draft.planRows].sort((a, b) => a - b));
    const used = new Set([...plan.phases[0]!.order.row, ...Object.values(plan.evaluations).flatMap((set) => set.rows)]);
    expect(used.size).toBe(plan.rows.row.length);
    expect(new Set(plan.datasets)).toEqual(new Set(['/encoded/a.safetensors', '/encoded/b.safetensors']));
    draft.neededRows.forEach((row, i) => {
      const at = madeEncoding(pool)(row)!;
      expect([plan.datasets[plan.rows.dataset[i]!], plan.rows.row[i]]).toEqual([at.file, at.row]);
      expect(plan.groups[plan.rows.group[i]!]).toBe(row.family);
    });
  });

  it('saves and evaluates where the Python trainer does, and the fixed set at every save', () => {
    const { plan, phase } = make({ adapter: 'drag', epochs: 2, saveEvery: 100, heldOutRows: 4 });
    const total = phase.order.row.length;
    expect(phase.actions[0]).toEqual({ after_rows: 0, evaluate: ['held_out'] });
    expect(phase.actions.at(-1)).toEqual({ after_rows: total, save: 'final', evaluate: ['held_out', 'val_end'] });
    const epoch = phase.actions.find((action) => action.save === 'epoch_1')!;
    expect(epoch).toEqual({ after_rows: total / 2, save: 'epoch_1', evaluate: ['held_out', 'val_epoch'] });
    expect(phase.actions.filter((action) => action.save?.startsWith('rows_')).length).toBeGreaterThan(1);
    expect(plan.evaluations.held_out!.rows).toEqual(plan.evaluations.val_end!.rows.slice(0, 4));
    expect(plan.output.meta?.val_ce).toBe('val_end');
    expect(
      plan.evaluations.held_out!.rows.every((row) => plan.groups[plan.rows.group[row]!] === 'Drag & gesture'),
    ).toBe(true);
  });

  it('evaluates once where two saves fall together', () => {
    const rows = Array.from({ length: 16 }, (_, i) => ({ taskId: `f0-task-${i + 100}`, family: 'Navigation' }));
    const draft = prepareWebmix(
      { families: ['Navigation'], beta: 0, gradAccum: 1, saveEvery: 1, epochs: 2 },
      madePool(rows),
      1,
    );
    const together = draft.actions.filter((action) => action.after_rows === draft.draw.rowsPerEpoch.real);
    expect(together.map((action) => action.save)).toEqual([`rows_${draft.draw.rowsPerEpoch.real}`, 'epoch_1']);
    expect(together.filter((action) => action.evaluate?.includes('held_out')).length).toBeLessThanOrEqual(1);
  });

  it('names a set by its rows, whatever their order', () => {
    const { draft, plan } = make({ adapter: 'drag' });
    const { rows, hash } = plan.evaluations.val_end!;
    const keys = rows.map((row) => draft.neededRows[row]!.key).sort();
    expect(hash).toBe(
      createHash('sha256')
        .update(keys.map((key) => `${key}\n`).join(''))
        .digest('hex'),
    );
  });

  it('starts from an adapter and anchors to it', () => {
    const { plan } = make({ adapter: 'drag', initAdapter: '/adapters/pooled', rank: 64, alpha: 128 });
    const load = { kind: 'load', path: '/adapters/pooled' };
    expect(plan.adapters.default).toMatchObject({ rank: 64, alpha: 128, dropout: 0.05, init: load });
    expect(plan.adapters.anchor).toMatchObject({ rank: 64, alpha: 128, dropout: 0, init: load });
    expect(plan.roles[1]).toMatchObject({ reference: 'anchor', clamp: [-20, 8], weights: 'action' });
    const alone = make({ adapter: 'drag', initAdapter: '/adapters/pooled', beta: 0 }).plan;
    expect(Object.keys(alone.adapters)).toEqual(['default']);
    expect(alone.roles[1]).toMatchObject({ name: 'kl', reference: null });
    expect(make({ adapter: 'drag', seed: 7 }).plan.adapters.default!.init).toEqual({ kind: 'peft', seed: 7 });
  });

  it('fills the meta file as the Python trainer does', () => {
    const { plan, census } = make({ adapter: 'rest', excludeVariants: ['chain', 'recovery'] });
    expect(plan.output.meta!.fields).toMatchObject({
      adapter: 'rest',
      families: ['Form transaction', 'Navigation', 'Reasoning base', 'Text entry'],
      base_model: 'org/tiny',
      ce_rows: census.ceRows,
      anchor_pool: census.anchorPool,
      anchor_rows_per_epoch: census.anchorRowsPerEpoch.planned,
      val_rows: census.heldOutRows,
      rows_total: census.visits,
      optimizer_steps: census.steps.planned,
    });
    const args = plan.output.meta!.fields.args as Record<string, unknown>;
    expect(Object.keys(args)).toEqual(
      (
        'adapter epochs lr rank alpha grad_accum beta anchor_ratio limit max_steps out rows_dir seed wandb_project ce_on ' +
        'exclude_variants frac episode_ids init_adapter drop_done save_every'
      ).split(' '),
    );
    expect(args).toMatchObject({
      exclude_variants: 'chain,recovery',
      rows_dir: '/rows',
      out: '/adapters/test',
      frac: 1,
    });
  });

  it('takes threads and device from the settings, else from the machine', () => {
    const hardware = { threads: 6, device: 'cuda:1' };
    expect(make({ adapter: 'drag' }, 1, pool, { hardware }).plan.execution).toMatchObject(hardware);
    const own = { adapter: 'drag', threads: 3, device: 'cpu', recompute: false, seed: 4 };
    expect(make(own, 1, pool, { hardware }).plan.execution).toMatchObject({
      threads: 3,
      device: 'cpu',
      recompute: false,
      dropout_seed: 4,
    });
    expect(make({ adapter: 'drag' }, 4).plan.output.log).toEqual({ file: 'train_log.jsonl', every_rows: 200 });
  });

  it('refuses rows that are not encoded', () => {
    const encoded = (row: PoolRow) => (row.line === 3 ? undefined : madeEncoding(pool)(row));
    expect(() => make({ adapter: 'drag' }, 1, pool, { encoded })).toThrow(
      /rows are not encoded, e\.g\. f0-task-\d+\/rows\.jsonl:3/,
    );
  });
});

describe('census', () => {
  it('counts what the plan does', () => {
    const { plan, phase, census, draft } = make({ adapter: 'drag', epochs: 2 });
    const encoded = draft.neededRows.map((row) => madeEncoding(pool)(row)!);
    const sum = (role: number | null, of: (row: number) => number) =>
      phase.order.row.reduce((s, row, i) => (role === null || phase.order.role[i] === role ? s + of(row) : s), 0);
    expect(census.roles.map((role) => role.supervisedTokens)).toEqual([
      sum(0, (row) => encoded[row]!.targets),
      sum(1, (row) => encoded[row]!.actionTargets),
    ]);
    expect(census.tokens.total).toBe(sum(null, (row) => encoded[row]!.tokens));
    expect(census.roles.map((role) => role.visits)).toEqual([sum(0, () => 1), sum(1, () => 1)]);
    const longest = census.roles[1]!.longest!;
    expect(longest.tokens).toBe(
      Math.max(...phase.order.row.map((row, i) => (phase.order.role[i] === 1 ? encoded[row]!.tokens : 0))),
    );
    expect(plan.rows.name[longest.row]).toBe(longest.name);
    const own = census.families.find((family) => family.name === 'Drag & gesture')!;
    expect(own).toMatchObject({ own: true, rows: 160, ce: census.ceRows, anchors: 0, heldOut: census.heldOutRows });
    expect(census.families.reduce((s, family) => s + family.anchors, 0)).toBe(census.anchorPool);
    expect(own.ce + own.heldOut).toBe(160);
  });

  it('counts rows without a weighted token, a role', () => {
    const encoded = madeEncoding(pool, (row) => (row.line === 2 ? { actionTargets: 0 } : {}));
    const { census, phase, plan } = make({ adapter: 'drag' }, 1, pool, { encoded });
    const anchors = new Set(phase.order.row.filter((_, i) => phase.order.role[i] === 1));
    const empty = [...anchors].filter((row) => /:2$/.test(plan.rows.name[row]!)).length;
    expect(empty).toBeGreaterThan(0);
    expect(census.roles.map((role) => role.zero)).toEqual([0, empty]);
  });

  it('lists rows whose mask fell back, and warns where a role uses it', () => {
    const encoded = madeEncoding(pool, (row) => (row.line === 2 ? { fallback: 'no-action' } : {}));
    const { census, codes, phase, plan } = make({ adapter: 'drag' }, 1, pool, { encoded });
    expect(census.fallback.reasons).toEqual({ 'no-action': census.fallback.rows });
    expect(census.fallback.first).toHaveLength(10);
    expect(census.fallback.first[0]).toMatch(/:2$/);
    expect(codes).toContain('fallback-masks');
    const anchors = new Set(phase.order.row.filter((_, i) => phase.order.role[i] === 1));
    const fellBack = [...anchors].filter((row) => /:2$/.test(plan.rows.name[row]!));
    expect(fellBack.length).toBeGreaterThan(0);
    expect(census.roles.map((role) => role.fallback)).toEqual([null, fellBack.length]);
    expect(census.roles.map((role) => role.zero)).toEqual([0, 0]);
    const alone = make({ adapter: 'drag', beta: 0 }, 1, pool, { encoded });
    expect(alone.census.fallback).toMatchObject({ matters: false });
    expect(alone.codes).not.toContain('fallback-masks');
  });

  it('warns', () => {
    expect(make({ adapter: 'drag', gradAccum: 8 }, 3).codes).toContain('batch-differs');
    expect(make({ adapter: 'drag', gradAccum: 8 }, 2).codes).not.toContain('batch-differs');
    expect(make({ adapter: 'drag', anchorRatio: 50 }).codes).toContain('anchors-short');
    expect(make({ adapter: 'drag', epochs: 1 }).codes).toContain('no-epoch-checkpoint');
    expect(make({ adapter: 'drag', epochs: 2 }).codes).not.toContain('no-epoch-checkpoint');
    expect(make({ adapter: 'pooled' }).codes).toContain('no-anchors');
    expect(make({ adapter: 'drag', anchorRatio: 0 }).codes).toContain('no-anchors');
    expect(make({ adapter: 'drag', beta: 0, anchorRatio: 0.25 }).codes).toContain('setting-ignored');
    expect(make({ adapter: 'drag', initAdapter: '/a' }).codes).toContain('reference-without-dropout');
    expect(make({ adapter: 'rest' }).codes).toContain('families-not-held-out');
    expect(make({ adapter: 'drag' }).codes).not.toContain('families-not-held-out');
    const bad = [{ file: 'x', line: 1, code: 'torn', message: 'torn' }];
    expect(make({ adapter: 'drag' }, 1, { ...pool, bad }).codes).toContain('bad-rows');
  });

  it('says so when nothing is held out, and evaluates nothing', () => {
    const few = madePool(['b', 'c', 'd'].map((taskId) => ({ taskId, family: 'Navigation' })));
    const { plan, census, codes, phase } = make({ families: ['Navigation'] }, 1, few);
    expect(census.heldOutRows).toBe(0);
    expect(codes).toContain('no-held-out');
    expect(plan.evaluations).toEqual({});
    expect(plan.output.meta!.val_ce).toBeNull();
    expect(phase.actions.every((action) => action.evaluate === undefined)).toBe(true);
    checkPlan(plan);
  });

  it('reads well', () => {
    const text = formatCensus(make({ adapter: 'drag', gradAccum: 8 }, 3).census);
    expect(text).toContain('* Drag & gesture');
    expect(text).toMatch(/rows a step +6 \(2 x 3\)/);
    expect(text).toContain('batch-differs: gradAccum 8 is no multiple of 3 ranks: an optimizer step has 6 rows');
    expect(text).toMatch(/final +after [\d,]+ rows/);
  });
});

it('plans 27,646 rows and three epochs in under 2 s of CPU', () => {
  const big = madeEpisodes(knownFamilies, 988, 4);
  const rows = big.rows.slice(0, 27_646);
  expect(rows).toHaveLength(27_646);
  const start = process.threadCpuUsage();
  const { plan } = make({ adapter: 'pooled', beta: 0, epochs: 3 }, 4, { ...big, rows });
  const used = process.threadCpuUsage(start);
  expect(plan.phases[0]!.order.row.length).toBeGreaterThan(75_000);
  expect((used.user + used.system) / 1000).toBeLessThan(2000);
});
