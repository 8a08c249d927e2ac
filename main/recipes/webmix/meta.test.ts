/** Files that today's readers read: which keys they have, and when. The trainer writes them as the plan says (native tests and e2e hold it to that). */
import { describe, expect, it } from 'vitest';
import { knownFamilies } from './families.ts';
import { planWebmix, prepareWebmix } from './plan.ts';
import type { WebmixSettingsInput } from './settings.ts';
import { madeEpisodes, madeTarget } from './testing/made-pool.ts';

const pool = madeEpisodes(knownFamilies, 40, 4);

function make(settings: WebmixSettingsInput, ranks = 1, paths: Partial<ReturnType<typeof madeTarget>['paths']> = {}) {
  const target = madeTarget(pool);
  const { plan } = planWebmix(prepareWebmix(settings, pool, ranks), {
    ...target,
    paths: { ...target.paths, ...paths },
  });
  return { plan, fields: plan.output.meta!.fields, args: plan.output.meta!.fields['args'] as Record<string, unknown> };
}

/** Of webmix_meta.json, as the Python trainer writes it; the last three come from the trainer at the end. */
const pythonKeys = ['adapter', 'families', 'base_model', 'ce_rows', 'anchor_pool', 'args'];
const keysOfTheEnd = ['rows_trained', 'val_ce', 'minutes'];
const ourKeys = [
  'anchor_rows_per_epoch',
  'val_rows',
  'rows_total',
  'optimizer_steps',
  'optimizer_steps_done',
  'gpus',
  'effective_batch',
  'base_revision',
  'dropout',
  'branch_dtype',
];
/** `vars(args)`: every flag of the Python trainer, in its order. */
const pythonArguments = (
  'adapter epochs lr rank alpha grad_accum beta anchor_ratio limit max_steps out rows_dir seed wandb_project ce_on ' +
  'exclude_variants frac episode_ids init_adapter drop_done save_every'
).split(' ');

describe('webmix_meta.json', () => {
  it.each<[string, WebmixSettingsInput]>([
    ['defaults', { adapter: 'drag' }],
    ['families by name, no anchor', { families: ['Navigation'], beta: 0 }],
    ['everything set', { adapter: 'rest', initAdapter: '/a', limit: 9, episodeIds: ['f2-task-1'], dropDone: true }],
  ])('has the keys of the Python trainer and ours: %s', (_, settings) => {
    const { plan, fields, args } = make(settings);
    expect(plan.output.meta!.file).toBe('webmix_meta.json');
    expect(Object.keys(fields)).toEqual([...pythonKeys, ...ourKeys]);
    expect(Object.keys(args)).toEqual(pythonArguments);
    for (const key of [...keysOfTheEnd, 'held_out']) expect(fields).not.toHaveProperty(key);
  });

  it('has the values of the Python trainer', () => {
    const { fields, args } = make({ adapter: 'drag', beta: 0.3, excludeVariants: ['chain', 'recovery'], limit: 12 }, 2);
    expect(fields).toMatchObject({
      adapter: 'drag',
      families: ['Drag & gesture'],
      base_model: 'org/tiny',
      ce_rows: 12,
    });
    expect(fields['anchor_pool']).toBeGreaterThan(100);
    expect(args).toMatchObject({
      ...{ adapter: 'drag', epochs: 3, lr: 1e-4, rank: 16, alpha: 32, grad_accum: 8, beta: 0.3, anchor_ratio: 0.5 },
      ...{ limit: 12, max_steps: 0, out: '/adapters/test', rows_dir: '/rows', seed: 0, ce_on: 'all', frac: 1 },
      ...{ exclude_variants: 'chain,recovery', episode_ids: null, init_adapter: null, drop_done: false },
      ...{ save_every: 5000, wandb_project: '' },
    });
  });

  it('has families in the order that Python sorts them in, and the file of an episode list', () => {
    const families = ['Text entry', 'Drag & gesture', 'Navigation'];
    const episodes = { episodeIds: ['f0-task-1', 'f2-task-3', 'f4-task-2'] };
    const { fields, args } = make({ families, beta: 0, ...episodes }, 1, { episodeIdsFile: '/lists/a.txt' });
    expect(fields['families']).toEqual(['Drag & gesture', 'Navigation', 'Text entry']);
    expect(fields['adapter']).toBe('custom');
    expect(args['episode_ids']).toBe('/lists/a.txt');
    expect(make({ families, beta: 0, ...episodes }).args['episode_ids']).toEqual(episodes.episodeIds);
  });

  it('takes its val_ce from the 200 rows of the end, as the Python trainer does, and is null without a held-out row', () => {
    const { plan } = make({ adapter: 'pooled', heldOutRows: 7 });
    expect(plan.output.meta!.val_ce).toBe('val_end');
    const rows = plan.evaluations['val_end']!.rows.length;
    expect(rows).toBeGreaterThan(7);
    expect(rows).toBeLessThanOrEqual(200);
    expect(plan.evaluations['val_epoch']!.rows).toEqual(plan.evaluations['val_end']!.rows.slice(0, 100));
  });
});

describe('train_log.jsonl', () => {
  it.each<[number, WebmixSettingsInput]>([
    [1, { adapter: 'drag' }],
    [4, { adapter: 'pooled', beta: 0 }],
    [2, { adapter: 'drag', initAdapter: '/a', ceOn: 'action' }],
  ])('has a record every 50 rows a rank, with ce and kl whatever the settings: %i ranks', (ranks, settings) => {
    const { plan } = make(settings, ranks);
    expect(plan.output.log).toEqual({ file: 'train_log.jsonl', every_rows: 50 * ranks });
    expect(plan.roles.map(({ name }) => name)).toEqual(['ce', 'kl']);
  });
});

describe('held-out rows of saved adapters', () => {
  it.each<[string, WebmixSettingsInput, number]>([
    ['three epochs and saves between', { adapter: 'drag', saveEvery: 100 }, 1],
    ['one epoch', { adapter: 'rest', epochs: 1, saveEvery: 150 }, 2],
    ['a part of one', { adapter: 'rest', epochs: 0.4, saveEvery: 50 }, 3],
    ['a save at the end of an epoch', { families: ['Navigation'], beta: 0, gradAccum: 1, saveEvery: 1, epochs: 2 }, 1],
  ])('every one has the same set: %s', (_, settings, ranks) => {
    const { plan } = make(settings, ranks);
    const { actions, order } = plan.phases[0]!;
    const evaluatedAt = new Set(actions.filter((a) => a.evaluate?.includes('held_out')).map((a) => a.after_rows));
    const saves = actions.filter((action) => action.save !== undefined);
    expect(saves.length).toBeGreaterThan(1);
    for (const save of saves) expect(evaluatedAt, save.save).toContain(save.after_rows);
    expect(evaluatedAt).toContain(0);
    const names = saves.map((save) => save.save!);
    expect(new Set(names).size).toBe(names.length);
    for (const { save, after_rows: rows } of saves) {
      if (save!.startsWith('rows_')) expect(save).toBe(`rows_${rows}`);
      if (save !== 'final') expect(rows).toBeLessThan(order.row.length);
      expect(save).toMatch(/^(rows_\d+|epoch_\d+|final)$/);
    }
    expect(plan.evaluations['held_out']!.hash).toMatch(/^[0-9a-f]{64}$/);
  });
});
