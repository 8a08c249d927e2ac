/** Plans and run folders made for tests, and the fake trainer as a program that WHETSTONE_TRAINER can name. */
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Plan } from '../../contract/plan.ts';
import type { RunFile } from '../../contract/runs.ts';
import { createRunFolder, planFile, sha256OfFile, writeRunFile } from '../run-folder.ts';

/** A plan of `steps` steps of two visits each; six rows, one evaluation set. */
export function madePlan(output: string, steps: number): Plan {
  const visits = Array.from({ length: 2 * steps }, (_, ordinal) => ordinal);
  return {
    format: 'whetstone-plan',
    version: 1,
    recipe: 'webmix',
    name: 'made',
    settings: {},
    model: { path: '/nowhere', name: 'none', revision: null, dtype: 'float32' },
    adapters: {
      default: {
        ...{ rank: 2, alpha: 4, dropout: 0, branch_dtype: 'float32', targets: ['q_proj'] },
        init: { kind: 'peft', seed: 0 },
      },
    },
    roles: [{ name: 'ce', term: 'cross_entropy', weights: null }],
    datasets: ['none.safetensors'],
    rows: {
      dataset: [0, 0, 0, 0, 0, 0],
      row: [0, 1, 2, 3, 4, 5],
      name: ['a:1', 'a:2', 'a:3', 'b:1', 'b:2', 'b:3'],
      group: [0, 0, 0, 0, 0, 0],
    },
    groups: ['Navigation'],
    ranks: 1,
    phases: [
      {
        kind: 'train',
        steps,
        order: {
          step: visits.map((ordinal) => ordinal >> 1),
          rank: visits.map(() => 0),
          forward: visits.map(() => 0),
          row: visits.map((ordinal) => ordinal % 4),
          role: visits.map(() => 0),
          epoch: visits.map(() => 0),
          coefficient: visits.map(() => 1),
        },
        actions: [
          { after_rows: 0, evaluate: ['held_out'] },
          { after_rows: 2 * steps, save: 'final', evaluate: ['held_out'] },
        ],
      },
    ],
    optimizer: { kind: 'adamw', lr: 1e-4, betas: [0.9, 0.999], eps: 1e-8, weight_decay: 0, clip_norm: 1 },
    schedule: { kind: 'constant' },
    evaluations: { held_out: { rows: [4, 5], hash: 'abc' } },
    output: { folder: output, log: { file: 'train_log.jsonl', every_rows: 10 }, meta: null },
    execution: {
      device: 'cpu',
      threads: 1,
      recompute: false,
      dropout_seed: 0,
      resume_every_seconds: 600,
      resume_keep: 2,
    },
  };
}

/** A run folder under `runs` with a made plan in it, nothing started. */
export function madeRun(runs: string, steps = 10): { folder: string; run: RunFile } {
  const { id, folder } = createRunFolder(runs);
  const output = path.join(folder, 'out');
  writeFileSync(planFile(folder), JSON.stringify(madePlan(output, steps)));
  const run: RunFile = {
    format: 'whetstone-run',
    version: 1,
    id,
    name: 'made',
    recipe: 'webmix',
    created: Date.now() / 1000,
    createdBy: 'cli',
    output,
    planSha256: sha256OfFile(planFile(folder)),
    badRows: { allowed: 0, found: 0 },
    linkTargets: [],
    launches: [],
  };
  writeRunFile(folder, run);
  return { folder, run };
}

/** Writes a program that is the fake trainer into `folder`. It gets no PATH, so it names its Node. */
export function fakeTrainer(folder: string): string {
  const file = path.join(folder, 'fake-trainer');
  const script = path.join(import.meta.dirname, 'fake-trainer.ts');
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`);
  chmodSync(file, 0o755);
  return file;
}
