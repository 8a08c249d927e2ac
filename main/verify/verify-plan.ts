/** The plan of a verification: one visit a drawn row. The trainer's `probe` takes visits out of it, and trains nothing. */
import type { EncodedRow } from '../contract/pool.ts';
import type { Plan, PlanRole } from '../contract/plan.ts';
import { rowName } from '../datasets/read-row.ts';
import type { FoundModel } from '../model/find-model.ts';
import { targetLeaves } from '../recipes/webmix/plan.ts';
import type { DrawnRow, VerifyRole } from './draw-rows.ts';

/** As webmix has them; the KL term is measured against the base model, whatever the adapter came from: against its own start it would be 0. */
export const verifyRoles: readonly (PlanRole & { name: VerifyRole })[] = [
  { name: 'ce', term: 'cross_entropy', weights: null },
  { name: 'ce-action', term: 'cross_entropy', weights: 'action' },
  { name: 'kl', term: 'k3', weights: 'action', reference: null, clamp: [-20, 8] },
];

export interface VerifyPlanParts {
  visits: readonly (DrawnRow & { encoded: EncodedRow })[];
  model: FoundModel;
  dtype: 'bfloat16' | 'float32';
  adapter: { path: string; rank: number; alpha: number };
  device: string;
  threads: number;
  /** Never written to. */
  output: string;
}

/** Visit i is row i. */
export function makeVerifyPlan(parts: VerifyPlanParts): Plan {
  const { visits, model, adapter } = parts;
  const datasets = [...new Set(visits.map(({ encoded }) => encoded.file))];
  const zeros = visits.map(() => 0);
  return {
    format: 'whetstone-plan',
    version: 1,
    recipe: 'verify',
    name: 'verify',
    settings: {},
    model: { ...model, dtype: parts.dtype },
    adapters: {
      default: {
        ...{ rank: adapter.rank, alpha: adapter.alpha, dropout: 0, branch_dtype: 'float32' },
        targets: [...targetLeaves],
        init: { kind: 'load', path: adapter.path },
      },
    },
    roles: verifyRoles.map((role) => ({ ...role })),
    datasets,
    rows: {
      dataset: visits.map(({ encoded }) => datasets.indexOf(encoded.file)),
      row: visits.map(({ encoded }) => encoded.row),
      name: visits.map(({ row }) => rowName(row)),
      group: visits.map(() => -1),
    },
    groups: [],
    ranks: 1,
    phases: [
      {
        kind: 'train',
        steps: visits.length,
        order: {
          step: visits.map((_, index) => index),
          ...{ rank: zeros, forward: zeros, epoch: zeros },
          row: visits.map((_, index) => index),
          role: visits.map(({ role }) => verifyRoles.findIndex(({ name }) => name === role)),
          coefficient: visits.map(() => 1),
        },
        actions: [],
      },
    ],
    optimizer: { kind: 'adamw', lr: 0, betas: [0.9, 0.999], eps: 1e-8, weight_decay: 0, clip_norm: null },
    schedule: { kind: 'constant' },
    evaluations: {},
    output: { folder: parts.output, log: null, meta: null },
    execution: {
      ...{ device: parts.device, threads: parts.threads, recompute: true, dropout_seed: 0 },
      ...{ resume_every_seconds: 600, resume_keep: 1 },
    },
  };
}
