import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Plan } from '../contract/plan.ts';
import { checkPlan } from './check-plan.ts';
import { formatPlan, readPlan, writePlan } from './write-plan.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'plan-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Three rows, two steps on two ranks. */
function smallPlan(): Plan {
  return {
    format: 'whetstone-plan',
    version: 1,
    recipe: 'test',
    name: 'small',
    settings: { note: 'ä', list: [] },
    model: { path: '/m', name: 'm', revision: null, dtype: 'bfloat16' },
    adapters: {
      default: {
        rank: 2,
        alpha: 4,
        dropout: 0,
        branch_dtype: 'float32',
        targets: ['q_proj'],
        init: { kind: 'peft', seed: 0 },
      },
    },
    roles: [{ name: 'ce', term: 'cross_entropy', weights: null }],
    datasets: ['/d.safetensors'],
    rows: { dataset: [0, 0, 0], row: [0, 1, 2], name: ['a', 'b', 'c'], group: [-1, 0, 0] },
    groups: ['g'],
    ranks: 2,
    phases: [
      {
        kind: 'train',
        steps: 2,
        order: {
          step: [0, 0, 1, 1],
          rank: [0, 1, 0, 1],
          forward: [0, 0, 0, 0],
          row: [0, 1, 0, 1],
          role: [0, 0, 0, 0],
          epoch: [0, 0, 1, 1],
          coefficient: [0.1, 1 / 3, 1e-9, 0.25],
        },
        actions: [
          { after_rows: 0, evaluate: ['e'] },
          { after_rows: 4, save: 'final' },
        ],
      },
    ],
    optimizer: { kind: 'adamw', lr: 1e-4, betas: [0.9, 0.999], eps: 1e-8, weight_decay: 0, clip_norm: null },
    schedule: { kind: 'constant' },
    evaluations: { e: { rows: [2], hash: 'h' } },
    output: { folder: '/o', log: null, meta: null },
    execution: {
      device: 'cpu',
      threads: 1,
      recompute: true,
      dropout_seed: 0,
      resume_every_seconds: 600,
      resume_keep: 2,
    },
  };
}

describe('plan.json', () => {
  it('comes back as it was, with the hash of its bytes, and nothing beside it', () => {
    const plan = smallPlan();
    const written = writePlan(plan, folder);
    const bytes = readFileSync(written.file);
    expect(written).toEqual({
      file: path.join(folder, 'plan.json'),
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    expect(readPlan(folder)).toEqual({ plan, sha256: written.sha256 });
    expect(readPlan(written.file).plan).toEqual(plan);
    expect(readdirSync(folder)).toEqual(['plan.json']);
  });

  it('has a column a line', () => {
    const lines = formatPlan(smallPlan()).split('\n');
    expect(lines).toContain('        "step": [0,0,1,1],');
    expect(lines.find((line) => line.includes('"name":"ce"'))?.trim()).toBe(
      '{"name":"ce","term":"cross_entropy","weights":null}',
    );
    expect(lines.length).toBeLessThan(100);
  });

  it.each([
    ['{', 'plan-not-json', /is not JSON/],
    ['{}', 'plan-misshapen', /format/],
    [JSON.stringify({ ...smallPlan(), version: 2 }), 'plan-misshapen', /version/],
    [JSON.stringify({ ...smallPlan(), ranks: 0 }), 'plan-misshapen', /ranks/],
    [JSON.stringify({ ...smallPlan(), ranks: 1 }), 'plan-inconsistent', /order\.rank\[1\] is 1, but there are 1/],
  ])('refuses %.20s (%s)', (text, code, message) => {
    writeFileSync(path.join(folder, 'plan.json'), text);
    expect(() => readPlan(folder)).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }));
  });

  it('says which file is not there', () => {
    expect(() => readPlan(path.join(folder, 'none'))).toThrow(/none\/plan\.json/);
    expect(() => writePlan(smallPlan(), path.join(folder, 'none'))).toThrow(/cannot write/);
  });
});

describe('checkPlan refuses', () => {
  const faults: [string, (plan: Plan) => void, RegExp][] = [
    ['unequal columns', (p) => p.phases[0]!.order.epoch.pop(), /order\.epoch has 3 entries/],
    ['a row that is not there', (p) => (p.phases[0]!.order.row[2] = 3), /order\.row\[2\] is 3, but there are 3/],
    ['a role that is not there', (p) => (p.phases[0]!.order.role[0] = 1), /order\.role/],
    ['a file that is not there', (p) => (p.rows.dataset[0] = 1), /rows\.dataset/],
    ['a group that is not there', (p) => (p.rows.group[0] = 1), /rows\.group/],
    ['steps out of order', (p) => (p.phases[0]!.order.step = [0, 1, 0, 1]), /has to be sorted/],
    [
      'a step without a visit',
      (p) => ((p.phases[0]!.order.step = [0, 0, 2, 2]), (p.phases[0]!.steps = 3)),
      /step 1 has no visit/,
    ],
    ['too few steps', (p) => (p.phases[0]!.steps = 3), /ends at step 1, but steps is 3/],
    ['an evaluation that is not there', (p) => (p.phases[0]!.actions[0]!.evaluate = ['x']), /evaluates x/],
    ['an evaluation of nothing', (p) => (p.evaluations.e!.rows = []), /has no rows/],
    ['a save that repeats', (p) => p.phases[0]!.actions.push({ after_rows: 4, save: 'final' }), /a second time/],
    ['actions out of order', (p) => p.phases[0]!.actions.reverse(), /has to ascend/],
    ['an action after the end', (p) => (p.phases[0]!.actions[1]!.after_rows = 5), /there are 4 visits/],
    ['no adapter to train', (p) => (p.adapters = {}), /no "default"/],
    [
      'a reference that is not there',
      (p) => p.roles.push({ name: 'kl', term: 'k3', weights: null, reference: 'anchor', clamp: [-1, 1] }),
      /no adapter/,
    ],
  ];
  it.each(faults)('%s', (_, change, message) => {
    const plan = smallPlan();
    checkPlan(plan);
    change(plan);
    expect(() => checkPlan(plan)).toThrow(message);
  });
});
