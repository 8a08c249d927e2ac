/**
 * Makes a history as people have it after months: run folders with plan.json, run.json and events.jsonl in the true format, every figure drawn from a seed. Benches and
 * pictures of the window begin from it; nothing of it ever gets into the product.
 *
 * node bench/make-history.ts FOLDER [--runs 200] [--steps 3000] [--logs 250] [--visits 2] [--seed 1] [--ingest]
 */
import { mkdirSync, writeFileSync, writeSync, openSync, closeSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Plan } from '../main/contract/plan.ts';
import type { RunFile } from '../main/contract/runs.ts';
import { databaseFile, ensureFolder, runsFolder } from '../main/paths.ts';
import { writePlan } from '../main/plan/write-plan.ts';
import { tryOpenWriter } from '../main/store/database.ts';
import { eventsFile, logFile, writeRunFile } from '../main/trainer/run-folder.ts';
import { syncRuns } from '../main/trainer/sync.ts';

export interface HistoryWish {
  /** Becomes the data folder (WHETSTONE_DATA). */
  folder: string;
  runs: number;
  /** Optimizer steps a run. */
  steps: number;
  /** Log records a run. */
  logs: number;
  /** Row visits a step. */
  visits: number;
  seed: number;
  /** Seconds since 1970 of the newest run's end. */
  now: number;
}

export const usualHistory: Omit<HistoryWish, 'folder'> = {
  ...{ runs: 200, steps: 3000, logs: 250, visits: 2, seed: 1 },
  now: Date.UTC(2026, 10, 1, 12) / 1000,
};

/** Numbers in [0, 1) that a seed decides (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const families = ['drag', 'scroll', 'typing', 'navigation', 'rest'];
const planRows = 64;

function planOf(wish: HistoryWish, name: string, lr: number, output: string): Plan {
  const total = wish.steps * wish.visits;
  const visits = Array.from({ length: total }, (_, ordinal) => ordinal);
  const names = Array.from(
    { length: planRows },
    (_, row) => `ep-${String(row >> 3).padStart(3, '0')}:${(row & 7) + 1}`,
  );
  const held = Array.from({ length: 8 }, (_, at) => planRows - 8 + at);
  const perEpoch = Math.max(1, Math.ceil(total / 3));
  return {
    ...{ format: 'whetstone-plan', version: 1, recipe: 'webmix', name },
    settings: { adapter: 'drag', lr, rank: 16, alpha: 32, epochs: 3, gradAccum: wish.visits, beta: 0.1 },
    model: { path: '/models/Qwen3.5-4B', name: 'Qwen/Qwen3.5-4B', revision: null, dtype: 'bfloat16' },
    adapters: {
      default: {
        ...{ rank: 16, alpha: 32, dropout: 0.05, branch_dtype: 'float32', targets: ['q_proj'] },
        init: { kind: 'peft', seed: 0 },
      },
    },
    roles: [
      { name: 'ce', term: 'cross_entropy', weights: null },
      { name: 'kl', term: 'k3', weights: null, reference: null, clamp: [-10, 10] },
    ],
    datasets: ['rows.safetensors'],
    rows: {
      dataset: names.map(() => 0),
      row: names.map((_, row) => row),
      name: names,
      group: names.map((_, row) => row % 2),
    },
    groups: ['drag', 'rest'],
    ranks: 1,
    phases: [
      {
        kind: 'train',
        steps: wish.steps,
        order: {
          step: visits.map((ordinal) => Math.floor(ordinal / wish.visits)),
          rank: visits.map(() => 0),
          forward: visits.map((ordinal) => ordinal),
          row: visits.map((ordinal) => ordinal % (planRows - 8)),
          role: visits.map((ordinal) => (ordinal % wish.visits === wish.visits - 1 && wish.visits > 1 ? 1 : 0)),
          epoch: visits.map((ordinal) => Math.floor(ordinal / perEpoch)),
          coefficient: visits.map(() => 1),
        },
        actions: [
          { after_rows: 0, evaluate: ['held_out'] },
          { after_rows: total, save: 'final', evaluate: ['held_out'] },
        ],
      },
    ],
    optimizer: { kind: 'adamw', lr, betas: [0.9, 0.999], eps: 1e-8, weight_decay: 0, clip_norm: 1 },
    schedule: { kind: 'warmup_cosine', warmup_steps: 10, total_steps: wish.steps },
    evaluations: { held_out: { rows: held, hash: 'c0ffee' } },
    output: {
      folder: output,
      log: { file: 'train_log.jsonl', every_rows: Math.max(1, Math.round(total / wish.logs)) },
      meta: {
        file: 'webmix_meta.json',
        fields: { args: { rows_dir: '/data/rows', episode_ids: null } },
        val_ce: 'held_out',
      },
    },
    execution: {
      ...{ device: 'auto', threads: 16, recompute: true, dropout_seed: 0 },
      ...{ resume_every_seconds: 600, resume_keep: 2 },
    },
  };
}

/** A run of its own every four hours, most of them finished; one in twenty failed or was stopped. */
function writeRun(wish: HistoryWish, number: number): void {
  const random = randomFrom(wish.seed * 100_003 + number);
  const seconds = 1.6;
  const began = wish.now - (wish.runs - number) * 4 * 3600;
  const stamp = new Date(began * 1000).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  const id = `${stamp}-${number.toString(16).padStart(6, '0')}`;
  const folder = path.join(wish.folder, 'runs', id);
  const family = families[number % families.length] ?? 'drag';
  const name = `${family}-${String(number).padStart(4, '0')}`;
  const output = path.join(wish.folder, 'adapters', name);
  mkdirSync(folder, { recursive: true });
  const lr = [5e-5, 1e-4, 2e-4][number % 3] ?? 1e-4;
  const { sha256 } = writePlan(planOf(wish, name, lr, output), folder);
  const identity = {
    host: 'trainbox',
    bootId: '00000000-0000-4000-8000-000000000000',
    pid: 4000 + number,
    processStart: 1000,
  };
  const run: RunFile = {
    ...{ format: 'whetstone-run', version: 1, id, name, recipe: 'webmix', created: began, createdBy: 'cli', output },
    ...{ planSha256: sha256, badRows: { allowed: 0, found: 0 }, linkTargets: [] },
    launches: [
      { time: began, process: identity, command: ['whetstone-trainer', 'train'], resume: false, environment: [] },
    ],
  };
  writeRunFile(folder, run);
  writeFileSync(logFile(folder), 'loading\ntraining\n');

  const total = wish.steps * wish.visits;
  const every = Math.max(1, Math.round(total / wish.logs));
  const stop = number % 20 === 7 ? Math.floor(wish.steps * 0.6) : wish.steps;
  let seq = 0;
  let time = began + 2;
  const lines: string[] = [];
  const file = openSync(eventsFile(folder), 'w');
  const say = (kind: string, fields: object): void => {
    lines.push(JSON.stringify({ v: 1, seq: seq++, time: Math.round(time * 1000) / 1000, kind, ...fields }));
    if (lines.length >= 2000) writeSync(file, `${lines.splice(0).join('\n')}\n`);
  };
  say('started', {
    ...{ segment: 0, from_rows: 0, from_step: 0, host: identity.host, boot_id: identity.bootId, pid: identity.pid },
    ...{
      process_start: identity.processStart,
      plan_sha256: sha256,
      trainer: '0.1.0',
      torch: '2.9.0',
      threads: 16,
      ranks: 1,
    },
    ...{
      device: { kind: 'cuda', name: 'NVIDIA H200', memory_gib: 139.8 },
      rows: total,
      steps: wish.steps,
      trainable: 20_971_520,
    },
  });
  say('phase', { name: 'training' });
  const evaluate = (rows: number, checkpoint: string | null, mean: number): void => {
    const sums = Array.from({ length: 8 }, () => mean * 40);
    say('evaluation', {
      ...{ set: 'held_out', rows, checkpoint, n: 8, mean, stderr: 0.012, hash: 'c0ffee', seconds: 4 },
      groups: [{ name: 'drag', n: 4, mean, stderr: 0.02 }],
      fields: [{ name: 'action', sum: mean * 40, count: 40, exact: 3, rows: 8 }],
      ...{ sums, counts: sums.map(() => 40) },
    });
  };
  evaluate(0, null, 1.45);
  const floor = 0.3 + 0.14 * random();
  for (let step = 0; step < stop; step += 1) {
    const share = step / wish.steps;
    const level = floor + 0.9 * Math.exp(-share * 12);
    const visits = Array.from({ length: wish.visits }, (_, at) => {
      const kl = at === wish.visits - 1 && wish.visits > 1;
      const mean = kl ? 0.02 * share + 0.004 * random() : level * (0.7 + 0.6 * random());
      const ordinal = step * wish.visits + at;
      const targets = 30 + Math.floor(random() * 40);
      return {
        ...{
          o: ordinal,
          r: ordinal % (planRows - 8),
          role: kl ? 1 : 0,
          e: Math.floor((ordinal * 3) / total),
          t: 1800 + targets,
        },
        ...{ n: targets, sum: mean * targets, w: targets, clamped: 0, f: [[mean * targets, targets, 0]] },
      };
    });
    time += seconds * (0.9 + 0.2 * random());
    const rows = (step + 1) * wish.visits;
    say('step', {
      ...{ step, rows, epoch: Math.floor(share * 3), lr: lr * 0.5 * (1 + Math.cos(Math.PI * share)) },
      ...{
        grad_norm: 0.4 + 0.5 * random() + (random() < 0.002 ? 6 : 0),
        tokens: visits.reduce((sum, { t }) => sum + t, 0),
      },
      seconds: { forward: 0.4, backward: 0.9, reference: 0.2, optimizer: 0.05, other: 0.05 },
      ...{ gpu_gib: 38.2, visits },
    });
    if (Math.floor(rows / every) > Math.floor((rows - wish.visits) / every))
      say('log', {
        ...{
          rows,
          of: total,
          epoch: Math.floor(share * 3),
          ce: level * (0.97 + 0.06 * random()),
          kl: 0.02 * share,
          lr,
        },
        ...{ rows_per_s: wish.visits / seconds, tokens_per_s: 2300, gpu_gb: 38.2 },
      });
  }
  const rows = stop * wish.visits;
  if (stop === wish.steps) {
    say('checkpoint', { name: 'final', folder: output, rows, step: stop });
    evaluate(rows, 'final', floor + 0.01 + 0.02 * random());
    say('finished', { rows, seconds: time - began, folder: output });
  } else if (number % 40 === 7)
    say('failed', {
      ...{ code: 'out-of-memory', message: 'the GPU has no memory left', hint: 'Take --recompute on.', visits: [rows] },
    });
  else say('stopped', { rows, seconds: time - began, resume: null });
  if (lines.length > 0) writeSync(file, `${lines.join('\n')}\n`);
  closeSync(file);
}

export function makeHistory(wish: HistoryWish): void {
  ensureFolder(path.join(wish.folder, 'runs'));
  for (let number = 0; number < wish.runs; number += 1) writeRun(wish, number);
}

/** Takes the run folders into the database, as a start of the app would. */
export function ingestHistory(folder: string): void {
  const environment = { WHETSTONE_DATA: folder };
  const db = tryOpenWriter(databaseFile(environment));
  if (!db) throw new Error('somebody else writes this history');
  const faults = syncRuns(db, runsFolder(environment));
  db.close();
  if (faults[0]) throw new Error(faults[0].message);
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      runs: { type: 'string' },
      steps: { type: 'string' },
      logs: { type: 'string' },
      visits: { type: 'string' },
      seed: { type: 'string' },
      ingest: { type: 'boolean' },
    },
  });
  const [folder] = positionals;
  if (!folder)
    throw new Error(
      'usage: node bench/make-history.ts FOLDER [--runs N] [--steps N] [--logs N] [--visits N] [--ingest]',
    );
  const { ingest, ...numbers } = values;
  const given = Object.fromEntries(Object.entries(numbers).map(([name, text]) => [name, Number(text)]));
  makeHistory({ ...usualHistory, ...given, folder: path.resolve(folder) });
  if (ingest) ingestHistory(path.resolve(folder));
}
