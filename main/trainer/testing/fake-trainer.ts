/**
 * A trainer that trains nothing: it obeys plan.json and writes events, log, checkpoints and resume state as docs/formats has them, with losses made up
 * from ordinals. Tests of spawning, tailing, stopping and ingesting run against it; WEBMIX_FAKE_TRAINER in its environment says what goes wrong:
 * `fail:N` (failed event at step N), `vanish:N` (SIGKILL to itself at step N), `deaf` (ignores SIGTERM), `saving:MS` (takes long for its checkpoint), `slow:MS` (a pause a step), `mute` (exits
 * before the first event), `garbage` (writes lines that are no events).
 */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Plan } from '../../contract/plan.ts';
import { bootId, hostName, processStart } from '../process-identity.ts';

const [command, ...args] = process.argv.slice(2);
const option = (name: string): string | undefined => args[args.indexOf(name) + 1];
const wishes = (process.env['WEBMIX_FAKE_TRAINER'] ?? '').split(',');
const wish = (name: string): string | undefined => wishes.find((w) => w.split(':')[0] === name);
const wishNumber = (name: string): number => Number(wish(name)?.split(':')[1] ?? Number.NaN);

if (command === 'describe') {
  console.log(JSON.stringify({ trainer: 'fake', models: ['qwen3_5'], devices: [] }));
  process.exit(0);
}
if (command === 'environment') {
  console.log(JSON.stringify(process.env));
  process.exit(0);
}
if (command !== 'train') {
  console.error(`the fake trainer cannot ${String(command)}`);
  process.exit(2);
}
if (wish('mute')) {
  console.error('libcuda.so.1: cannot open shared object file');
  process.exit(127);
}

const planFile = option('--plan') ?? '';
const folder = path.dirname(path.resolve(planFile));
const text = readFileSync(planFile);
const plan = JSON.parse(text.toString()) as Plan;
const eventsFile = path.join(folder, 'events.jsonl');
const resume = args.includes('--resume');

interface ResumeState {
  rows: number;
  step: number;
  segment: number;
}
let from: ResumeState = { rows: 0, step: 0, segment: -1 };
if (resume) {
  const states = path.join(folder, 'resume');
  const newest = existsSync(states)
    ? readdirSync(states)
        .sort((a, b) => Number(a) - Number(b))
        .at(-1)
    : undefined;
  if (newest) from = JSON.parse(readFileSync(path.join(states, newest, 'state.json'), 'utf8')) as ResumeState;
}

// Numbers go on over all segments.
let seq = resume && existsSync(eventsFile) ? readFileSync(eventsFile, 'utf8').split('\n').length - 1 : 0;
function emit(kind: string, fields: Record<string, unknown>): void {
  const shown = (_: string, value: unknown): unknown =>
    typeof value === 'number' && !Number.isFinite(value)
      ? String(value).toLowerCase().replace('infinity', 'inf')
      : value;
  appendFileSync(eventsFile, `${JSON.stringify({ v: 1, seq, time: Date.now() / 1000, kind, ...fields }, shown)}\n`);
  seq += 1;
}

const stopping = { asked: false };
process.on('SIGTERM', () => {
  if (wish('deaf')) return;
  // As the real one: a second signal ends it without a checkpoint.
  if (stopping.asked) process.exit(143);
  stopping.asked = true;
});

const phase = plan.phases[0];
if (!phase) throw new Error('a plan without a phase');
const { order } = phase;
const total = order.row.length;
emit('started', {
  segment: from.segment + 1,
  from_rows: from.rows,
  from_step: from.step,
  host: hostName(),
  boot_id: bootId(),
  pid: process.pid,
  process_start: processStart(process.pid) ?? 0,
  plan_sha256: createHash('sha256').update(text).digest('hex'),
  trainer: 'fake',
  torch: '0.0.0',
  device: { kind: 'cpu', name: 'none', memory_gib: 0 },
  threads: plan.execution.threads,
  ranks: plan.ranks,
  rows: total,
  steps: phase.steps,
  trainable: 1234,
});
if (wish('garbage')) appendFileSync(eventsFile, 'not json\n{"v": 1, "kind": "of a later version"}\n');
emit('phase', { name: 'training' });

function saveResume(rows: number, step: number): string {
  const at = path.join(folder, 'resume', String(rows));
  mkdirSync(at, { recursive: true });
  writeFileSync(path.join(at, 'state.json'), JSON.stringify({ rows, step, segment: from.segment + 1 }));
  writeFileSync(path.join(at, 'DONE'), '');
  emit('resume_state', { folder: at, rows, step });
  return at;
}

function act(rows: number): void {
  for (const action of phase?.actions ?? []) {
    if (action.after_rows !== rows) continue;
    if (action.save !== undefined) {
      const final = rows === total;
      const at = final ? plan.output.folder : path.join(plan.output.folder, action.save);
      mkdirSync(at, { recursive: true });
      for (const name of ['adapter_model.safetensors', 'DONE']) writeFileSync(path.join(at, name), '');
      writeFileSync(
        path.join(at, 'whetstone.json'),
        JSON.stringify({ format: 'whetstone-checkpoint', version: 1, run: plan.name }),
      );
      emit('checkpoint', { name: action.save, folder: at, rows, step: Math.max(...order.step.slice(0, rows)) });
    }
    for (const set of action.evaluate ?? []) {
      const { rows: of = [], hash = '' } = plan.evaluations[set] ?? {};
      const sums = of.map((row) => 10 / (1 + rows) + row);
      const counts = of.map(() => 10);
      const mean = sums.reduce((a, b, i) => a + b / (counts[i] ?? 1), 0) / Math.max(1, of.length);
      const fields = [{ name: 'other', sum: 1, count: 2, exact: 0, rows: of.length }];
      emit('evaluation', {
        ...{ set, rows, checkpoint: action.save ?? null, n: of.length, mean, stderr: 0.01, hash, seconds: 0.1 },
        ...{ groups: [{ name: plan.groups[0] ?? '', n: of.length, mean, stderr: 0.01 }], fields, sums, counts },
      });
    }
  }
}

function log(rows: number): void {
  if (!plan.output.log || (rows % plan.output.log.every_rows !== 0 && rows !== total)) return;
  emit('log', {
    rows,
    of: total,
    epoch: 0,
    ce: 1 / rows,
    kl: 0,
    lr: 1e-4,
    rows_per_s: 10,
    tokens_per_s: 1000,
    gpu_gb: 0,
  });
}

const began = Date.now();
if (from.rows === 0) act(0);
let visits: unknown[] = [];
for (let ordinal = from.rows; ordinal < total; ordinal += 1) {
  const role = order.role[ordinal] ?? 0;
  visits.push({
    ...{
      o: ordinal,
      r: order.row[ordinal],
      role,
      e: order.epoch[ordinal],
      t: 100,
      n: 10,
      sum: 10 / (1 + ordinal),
      w: 10,
    },
    ...{ clamped: 0, f: [[10 / (1 + ordinal), 10, 1]] },
  });
  const step = order.step[ordinal] ?? 0;
  if (ordinal + 1 < total && order.step[ordinal + 1] === step) {
    log(ordinal + 1);
    act(ordinal + 1);
    continue;
  }
  if (step === wishNumber('fail')) {
    emit('failed', {
      code: 'non-finite',
      message: 'the loss is nan',
      hint: 'lower the learning rate',
      visits: [ordinal],
    });
    process.exit(4);
  }
  if (step === wishNumber('vanish')) process.kill(process.pid, 'SIGKILL');
  const rows = ordinal + 1;
  emit('step', {
    ...{
      step,
      rows,
      epoch: order.epoch[ordinal],
      lr: 1e-4,
      grad_norm: step === 1 ? Number.NaN : 1,
      tokens: visits.length * 100,
    },
    ...{ seconds: { forward: 0.1, backward: 0.2, reference: 0, optimizer: 0.01, other: 0 }, gpu_gib: 0, visits },
  });
  visits = [];
  log(rows);
  act(rows);
  if (wish('slow') || wish('deaf')) await sleep(wishNumber('slow') || 20);
  else await sleep(0);
  if (stopping.asked && rows < total) {
    if (wish('saving')) await sleep(wishNumber('saving'));
    const at = saveResume(rows, step + 1);
    emit('stopped', { rows, seconds: (Date.now() - began) / 1000, resume: at });
    process.exit(0);
  }
}
emit('finished', { rows: total, seconds: (Date.now() - began) / 1000, folder: plan.output.folder });
