/** plan.json, version 1, as docs/formats/plan.md describes it. */
import { z } from 'zod';

const finite = z.number().refine(Number.isFinite, 'has to be finite');
const index = z.int().nonnegative();

export const adapterInitSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('peft'), seed: z.int().nonnegative() }),
  z.object({ kind: z.literal('load'), path: z.string().min(1) }),
]);

export const planAdapterSchema = z.object({
  rank: z.int().positive(),
  alpha: finite.positive(),
  dropout: finite.min(0).lt(1),
  branch_dtype: z.enum(['float32', 'bfloat16']),
  targets: z.array(z.string()),
  init: adapterInitSchema,
});

export const planRoleSchema = z.discriminatedUnion('term', [
  z.object({ name: z.string(), term: z.literal('cross_entropy'), weights: z.string().nullable() }),
  z.object({
    name: z.string(),
    term: z.literal('k3'),
    weights: z.string().nullable(),
    reference: z.string().nullable(),
    clamp: z.tuple([finite, finite]),
  }),
]);

export const planActionSchema = z.object({
  after_rows: index,
  save: z.string().optional(),
  evaluate: z.array(z.string()).optional(),
});

export const planOrderSchema = z.object({
  step: z.array(index),
  rank: z.array(index),
  forward: z.array(index),
  row: z.array(index),
  role: z.array(index),
  epoch: z.array(index),
  coefficient: z.array(finite),
});

export const planSchema = z.object({
  format: z.literal('whetstone-plan'),
  version: z.literal(1),
  recipe: z.string(),
  name: z.string(),
  settings: z.record(z.string(), z.unknown()),
  model: z.object({
    path: z.string(),
    name: z.string(),
    revision: z.string().nullable(),
    dtype: z.enum(['bfloat16', 'float32']),
  }),
  adapters: z.record(z.string(), planAdapterSchema),
  roles: z.array(planRoleSchema),
  datasets: z.array(z.string()),
  rows: z.object({
    dataset: z.array(index),
    row: z.array(index),
    name: z.array(z.string()),
    group: z.array(z.int().min(-1)),
  }),
  groups: z.array(z.string()),
  ranks: z.int().positive(),
  phases: z.array(
    z.object({
      kind: z.literal('train'),
      steps: index,
      order: planOrderSchema,
      actions: z.array(planActionSchema),
    }),
  ),
  optimizer: z.object({
    kind: z.literal('adamw'),
    lr: finite.nonnegative(),
    betas: z.tuple([finite, finite]),
    eps: finite.positive(),
    weight_decay: finite.nonnegative(),
    clip_norm: finite.positive().nullable(),
  }),
  schedule: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('warmup_cosine'), warmup_steps: z.int().positive(), total_steps: z.int().positive() }),
    z.object({ kind: z.literal('constant') }),
  ]),
  evaluations: z.record(z.string(), z.object({ rows: z.array(index), hash: z.string() })),
  output: z.object({
    folder: z.string(),
    log: z.object({ file: z.string(), every_rows: z.int().positive() }).nullable(),
    meta: z
      .object({ file: z.string(), fields: z.record(z.string(), z.unknown()), val_ce: z.string().nullable() })
      .nullable(),
  }),
  execution: z.object({
    device: z.string(),
    threads: z.int().positive(),
    recompute: z.boolean(),
    dropout_seed: index,
    resume_every_seconds: finite.positive(),
    resume_keep: z.int().positive(),
  }),
});

export type Plan = z.infer<typeof planSchema>;
export type PlanAdapter = z.infer<typeof planAdapterSchema>;
export type PlanRole = z.infer<typeof planRoleSchema>;
export type PlanAction = z.infer<typeof planActionSchema>;
export type PlanOrder = z.infer<typeof planOrderSchema>;
