/** The first run, as a newcomer makes it: the demo, then what the command line says of it, a stop, and what a method of one's own needs. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEMO_MODEL, DEMO_ROWS, Product, ROOT, execute, type Finished } from './product.ts';
import { readTensor } from './safetensors-surgery.ts';

const product = new Product();
let demo: Finished;
let run: { id: string; output: string; folder: string; [key: string]: unknown };

beforeAll(async () => {
  demo = await execute([process.execPath, path.join(ROOT, 'demo/run.ts')], product.environment(), product.folder);
  expect(`${demo.stdout}\n${demo.stderr}`).toContain('The adapter is in');
  [run] = JSON.parse((await product.run(['runs', '--json'])).stdout);
});
afterAll(() => product.remove());

const lines = (file: string): Record<string, any>[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test('the demo trains, and checks itself', () => {
  expect(demo.status).toBe(0);
  expect(demo.stdout.match(/^ok /gm)).toHaveLength(3);
  const seconds = Number(/training starts ([\d.]+) s after set-up/.exec(demo.stdout)?.[1]);
  expect(seconds).toBeGreaterThan(0);
});

test('a second demo starts to train within 5 s, and does not touch the first', async () => {
  const began = Date.now();
  const child = spawn(process.execPath, [path.join(ROOT, 'demo/run.ts')], {
    env: product.environment(),
    cwd: product.folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  const startedAfter = await new Promise<number>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      // The evaluation before the first step is the first thing that the trainer computes.
      if (text.includes('training starts')) resolve(Date.now() - began);
    });
    child.on('exit', (code) => reject(new Error(`it ended with ${code} before it trained: ${text}`)));
  });
  // A stop is asked for once the trainer has said something: then it is at work, and the terminal's signals are waited for.
  while (!text.includes('"evaluation"')) await new Promise((resolve) => setTimeout(resolve, 100));
  child.kill('SIGINT');
  await new Promise((resolve) => child.on('exit', resolve));
  expect(startedAfter).toBeLessThan(5000);
  const states = (JSON.parse((await product.run(['runs', '--json'])).stdout) as { state: string }[]).map(
    (r) => r.state,
  );
  expect(states.sort()).toEqual(['finished', 'stopped']);
  expect(existsSync(path.join(run.output, 'DONE'))).toBe(true);
});

test('the output is what the Python tools read', () => {
  expect(readdirSync(run.output).sort()).toEqual(
    [
      'DONE',
      'adapter_config.json',
      'adapter_model.safetensors',
      'epoch_1',
      'rows_100',
      'train_log.jsonl',
      'webmix_meta.json',
      'whetstone.json',
    ].sort(),
  );
  const log = lines(path.join(run.output, 'train_log.jsonl'));
  expect(log.map((record) => record['rows'])).toEqual([50, 100, 150, 200]);
  // The keys of the Python trainer, in its order, in every record: kl is 0 where no anchor row fell.
  const ofTheLog = ['rows', 'of', 'epoch', 'ce', 'kl', 'lr', 'rows_per_s', 'tokens_per_s', 'gpu_gb'];
  for (const record of log) expect(Object.keys(record)).toEqual(ofTheLog);
  expect(log.at(-1)).toMatchObject({ of: 200, lr: 0 });
  const meta = JSON.parse(readFileSync(path.join(run.output, 'webmix_meta.json'), 'utf8'));
  expect(meta).toMatchObject({ adapter: 'rest', rows_trained: 200, args: { beta: 0.1, anchor_ratio: 0.5, lr: 1e-3 } });
  expect(meta.val_ce).toBeGreaterThan(0);
  const ofTheMeta = 'adapter families base_model ce_rows anchor_pool rows_trained val_ce args minutes'.split(' ');
  expect(Object.keys(meta)).toEqual(expect.arrayContaining(ofTheMeta));
  const config = JSON.parse(readFileSync(path.join(run.output, 'adapter_config.json'), 'utf8'));
  expect(config).toMatchObject({ peft_type: 'LORA', r: 16, lora_alpha: 32, bias: 'none' });
  expect([...config.target_modules].sort()).toEqual(
    ['down_proj', 'gate_proj', 'k_proj', 'o_proj', 'q_proj', 'up_proj', 'v_proj'].sort(),
  );
  const tensor = readTensor(
    path.join(run.output, 'adapter_model.safetensors'),
    'base_model.model.model.language_model.layers.0.mlp.up_proj.lora_B.weight',
  );
  expect(tensor.shape).toEqual([384, 16]);
  expect(tensor.values.some((value) => value !== 0)).toBe(true);
});

test('every saved adapter has held-out CE over the same rows, by family and by field', () => {
  const meta = JSON.parse(readFileSync(path.join(run.output, 'webmix_meta.json'), 'utf8'));
  const points = (meta.held_out as Record<string, any>[]).filter(({ set }) => set === 'held_out');
  expect(points.map(({ checkpoint }) => checkpoint)).toEqual([null, 'rows_100', 'epoch_1', 'final']);
  expect(new Set(points.map(({ hash, n }) => `${hash} ${n}`)).size).toBe(1);
  const end = (meta.held_out as Record<string, any>[]).find(({ set }) => set === 'val_end')!;
  expect([end['checkpoint'], end['mean']]).toEqual(['final', meta.val_ce]);

  const events = lines(path.join(run.folder, 'events.jsonl'));
  const saved = events.filter(({ kind }) => kind === 'checkpoint').map(({ name }) => name);
  expect(saved).toEqual(['rows_100', 'epoch_1', 'final']);
  const evaluations = events.filter(({ kind, set }) => kind === 'evaluation' && set === 'held_out');
  expect(evaluations.map(({ checkpoint }) => checkpoint)).toEqual([null, ...saved]);
  for (const { n, mean, stderr, hash, groups, fields, sums, counts } of evaluations) {
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect([sums.length, counts.length]).toEqual([n, n]);
    // Its own arithmetic: the mean of row means, and the standard error of that.
    const means = (sums as number[]).map((sum, i) => sum / counts[i]);
    const average = means.reduce((all, value) => all + value, 0) / n;
    const spread = means.reduce((all, value) => all + (value - average) ** 2, 0) / (n - 1);
    expect(mean).toBeCloseTo(average, 6);
    expect(stderr).toBeCloseTo(Math.sqrt(spread / n), 6);
    expect(groups.reduce((all: number, group: Record<string, number>) => all + group['n']!, 0)).toBe(n);
    expect(fields.map((field: Record<string, unknown>) => field['name'])).toEqual(
      expect.arrayContaining(['memory', 'index', 'end']),
    );
    const tokens = fields.reduce((all: number, field: Record<string, number>) => all + field['count']!, 0);
    expect(tokens).toBe((counts as number[]).reduce((all, value) => all + value, 0));
  }
});

test('the same seed gives the same run, bit for bit', async () => {
  const flags = [
    'webmix',
    '--adapter',
    'drag',
    '--max-steps',
    '12',
    '--grad-accum',
    '4',
    '--dtype',
    'float32',
    '--threads',
    '2',
  ];
  const where = ['--model', DEMO_MODEL, '--rows-dir', DEMO_ROWS, '--device', 'cpu'];
  const outs = ['one', 'two'].map((name) => path.join(product.folder, name));
  for (const out of outs) {
    const { status, stderr } = await product.run(['run', ...flags, ...where, '--out', out]);
    expect(stderr).not.toContain('error');
    expect(status).toBe(0);
  }
  const [one, two] = outs.map((out) => readFileSync(path.join(out, 'adapter_model.safetensors')));
  expect(one!.equals(two!)).toBe(true);
});

test('history shows it: runs, show, tail', async () => {
  const shown = JSON.parse((await product.run(['show', run.id, '--json'])).stdout);
  expect(shown).toMatchObject({ state: 'finished', rows: 200, totalRows: 200, steps: 50 });
  expect(shown.checkpoints.map((c: { name: string }) => c.name)).toEqual(
    expect.arrayContaining(['rows_100', 'epoch_1', 'final']),
  );
  const sets = shown.evaluations.filter((e: { set: string }) => e.set === 'held_out');
  expect(sets.map((e: { rows: number }) => e.rows)).toEqual([0, 100, 117, 200]);
  expect(sets[3].mean).toBeLessThan(0.8 * sets[0].mean);
  const tail = await product.run(['tail', run.id]);
  expect(tail.status).toBe(0);
  expect(tail.stdout).toContain('"rows":200');
});

test('a detached run goes on by itself, and stops with a resume state', async () => {
  const out = path.join(product.folder, 'detached');
  const flags = [
    'webmix',
    '--adapter',
    'pooled',
    '--beta',
    '0',
    '--epochs',
    '20',
    '--dtype',
    'float32',
    '--device',
    'cpu',
  ];
  const where = ['--model', DEMO_MODEL, '--rows-dir', DEMO_ROWS, '--out', out, '--name', 'detached', '--detach'];
  const started = await product.run(['run', ...flags, ...where]);
  expect(started.status).toBe(0);
  const id = started.stdout.trim().split('\n').at(-1) ?? '';
  const events = path.join(product.data, 'runs', id, 'events.jsonl');
  while (!readFileSync(events, 'utf8').includes('"kind":"step"')) await new Promise((r) => setTimeout(r, 200));
  const stop = await product.run(['stop', id]);
  expect(stop.status).toBe(0);
  const last = lines(events).at(-1)!;
  expect(last).toMatchObject({ kind: 'stopped' });
  expect(existsSync(path.join(last['resume'] as string, 'DONE'))).toBe(true);
  expect(existsSync(path.join(out, 'DONE'))).toBe(false);
});

test('try measures the longest rows and leaves nothing behind', async () => {
  const out = path.join(product.folder, 'never');
  const flags = ['try', 'webmix', '--adapter', 'rest', '--dtype', 'float32', '--device', 'cpu', '--json'];
  const { status, stdout } = await product.run([
    ...flags,
    '--model',
    DEMO_MODEL,
    '--rows-dir',
    DEMO_ROWS,
    '--out',
    out,
  ]);
  expect(status).toBe(0);
  const answer = JSON.parse(stdout);
  expect(answer.rows.map((row: { role: string }) => row.role).sort()).toEqual(['ce', 'kl']);
  // The longest of each role, as the census names them.
  expect(Math.max(...answer.rows.map((row: { tokens: number }) => row.tokens))).toBeGreaterThan(500);
  expect(answer.peak_gib).toBeGreaterThan(0);
  expect(existsSync(out)).toBe(false);
});

test('encode shows what a row becomes, pixels too', async () => {
  const flags = ['encode', DEMO_ROWS, '--row', 'checkout-001:1', '--model', DEMO_MODEL, '--json', '--pixels'];
  const row = JSON.parse((await product.run(flags)).stdout);
  expect(row.ids.length).toBeGreaterThan(300);
  expect(row.action_mask).toHaveLength(row.targets);
  // The memory comes first and is not part of the action; the end token is.
  expect([row.action_mask[0], row.action_mask.at(-1)]).toEqual([0, 1]);
  expect(row.grids).toHaveLength(1);
  expect(row.pixels.sha256).toMatch(/^[0-9a-f]{64}$/);
});

test('a method that no recipe has: twice the weight on coordinates, by the Python writer', async () => {
  const processors = path.join(product.data, 'cache/encoded');
  const [processor] = readdirSync(processors);
  // The tests before this one left several packs, with random names; the demo's own is the largest.
  const size = (name: string): number => statSync(path.join(processors, processor!, name)).size;
  const [pack] = readdirSync(path.join(processors, processor!))
    .filter((name) => name.endsWith('.safetensors'))
    .sort((a, b) => size(b) - size(a));
  const folder = path.join(product.folder, 'own');
  const out = path.join(product.folder, 'own-adapter');
  const writer = path.join(ROOT, 'docs/formats/writer.py');
  const source = path.join(processors, processor!, pack!);
  const flags = ['--out', out, '--dtype', 'float32', '--held-out', '8', '--lr', '1e-3'];
  const made = await execute(['python3', writer, source, DEMO_MODEL, folder, ...flags], process.env, product.folder);
  expect(made.stderr).toBe('');
  const { status, stdout, stderr } = await product.run(['run', '--plan', path.join(folder, 'plan.json')]);
  expect(stderr).not.toMatch(/^error/m);
  expect(status).toBe(0);
  const id = /^run (\S+) /m.exec(stdout)?.[1] ?? '';
  expect(JSON.parse((await product.run(['show', id, '--json'])).stdout)).toMatchObject({
    recipe: 'coordinates-twice',
    state: 'finished',
  });

  const events = lines(path.join(product.data, 'runs', id, 'events.jsonl'));
  expect(events.at(-1)).toMatchObject({ kind: 'finished' });
  const visits = events.filter((e) => e['kind'] === 'step').flatMap((e) => e['visits'] as { n: number; w: number }[]);
  // A row with coordinates weighs more than it has targets; one without weighs as many.
  expect(visits.some((visit) => visit.w > visit.n)).toBe(true);
  expect(visits.some((visit) => visit.w === visit.n)).toBe(true);
  const held = events.filter((e) => e['kind'] === 'evaluation').map((e) => e['mean'] as number);
  expect(held.at(-1)).toBeLessThan(held[0]!);
  expect(existsSync(path.join(out, 'adapter_model.safetensors'))).toBe(true);
});
