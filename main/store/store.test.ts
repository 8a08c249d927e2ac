/** The history against a real SQLite file: opening, migrating, taking events in. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../contract/errors.ts';
import type { RunEvent, Visit } from '../contract/events.ts';
import { planSchema } from '../contract/plan.ts';
import { databaseError, networkFileSystem, tryOpenReader, tryOpenWriter, type WriteDb } from './database.ts';
import { tryExclusiveLock } from './exclusive-lock.ts';
import { ingest } from './ingest.ts';
import { latestVersion, migrate, migrations } from './migrations/index.ts';
import {
  findRun,
  listRuns,
  registerRun,
  runCheckpoints,
  runEvaluations,
  runLog,
  runProgress,
  summarizePlan,
} from './runs.ts';

let scratch: string;
let file: string;
let opened: WriteDb[];
beforeEach(() => {
  scratch = mkdtempSync(path.join(os.tmpdir(), 'whetstone-store-'));
  file = path.join(scratch, 'data', 'whetstone.db');
  opened = [];
});
afterEach(() => {
  for (const db of opened) if (db.sqlite.open) db.close();
  rmSync(scratch, { recursive: true });
});

function writer(): WriteDb {
  const db = tryOpenWriter(file);
  if (!db) throw new Error('somebody else writes');
  opened.push(db);
  return db;
}

const caught = (work: () => unknown): AppError => {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

const plan = planSchema.parse({
  format: 'whetstone-plan',
  version: 1,
  recipe: 'webmix',
  name: 'made',
  settings: { lr: 1e-4 },
  model: { path: '/m', name: 'A/B', revision: null, dtype: 'float32' },
  adapters: {},
  roles: [{ name: 'ce', term: 'cross_entropy', weights: null }],
  datasets: [],
  rows: { dataset: [], row: [], name: [], group: [] },
  groups: [],
  ranks: 1,
  phases: [
    {
      kind: 'train',
      steps: 3,
      order: {
        step: [0, 1, 2],
        rank: [0, 0, 0],
        forward: [0, 0, 0],
        row: [0, 0, 0],
        role: [0, 0, 0],
        epoch: [0, 0, 0],
        coefficient: [1, 1, 1],
      },
      actions: [],
    },
  ],
  optimizer: { kind: 'adamw', lr: 1, betas: [0, 0], eps: 1, weight_decay: 0, clip_norm: null },
  schedule: { kind: 'constant' },
  evaluations: {},
  output: { folder: '/out', log: null, meta: null },
  execution: { device: 'cpu', threads: 1, recompute: false, dropout_seed: 0, resume_every_seconds: 1, resume_keep: 1 },
});

const register = (db: WriteDb, id = 'r1'): number =>
  registerRun(db, {
    id,
    folder: `/runs/${id}`,
    plan: summarizePlan(plan),
    planSha256: 'abc',
    runFile: undefined,
    created: 5,
  });

let seq = 0;
const event = (fields: object): RunEvent => ({ v: 1, seq: seq++, time: 1000 + seq, ...fields }) as RunEvent;
const started = (segment = 0, rows = 0, step = 0): RunEvent =>
  event({
    kind: 'started',
    segment,
    from_rows: rows,
    from_step: step,
    host: 'h',
    boot_id: 'b',
    pid: 1,
    process_start: 1,
  });
const visit = (o: number): Visit => ({
  o,
  r: o,
  role: 0,
  e: 0,
  t: 10,
  n: 2,
  sum: o / 2,
  w: 2,
  clamped: 0,
  f: [
    [o, 2, 1],
    [0, 0, 1],
  ],
});
const step = (index: number, visits: Visit[], norm = 1): RunEvent =>
  event({
    ...{ kind: 'step', step: index, rows: (visits.at(-1)?.o ?? 0) + 1, epoch: 0, lr: 1, grad_norm: norm, tokens: 10 },
    ...{ seconds: { forward: 1, backward: 1, reference: 1, optimizer: 1, other: 1 }, gpu_gib: 0, visits },
  });
const evaluation = (rows: number, mean: number): RunEvent =>
  event({
    ...{ kind: 'evaluation', set: 'held_out', rows, checkpoint: null, n: 2, mean, stderr: 0.1, hash: 'x', seconds: 1 },
    ...{ groups: [], fields: [], sums: [mean, 1], counts: [1, 2] },
  });
const log = (rows: number): RunEvent => event({ kind: 'log', rows, of: 9, ce: 1 });
const checkpoint = (rows: number): RunEvent =>
  event({ kind: 'checkpoint', name: `rows_${rows}`, folder: '/c', rows, step: 1 });
const count = (db: WriteDb, sql: string): number =>
  (db.sqlite.prepare(`SELECT count(*) AS n FROM ${sql}`).get() as { n: number }).n;

describe('opening', () => {
  it('makes the newest schema, of strict tables', () => {
    const db = writer();
    expect(db.sqlite.pragma('user_version', { simple: true })).toBe(latestVersion);
    expect(db.sqlite.pragma('journal_mode', { simple: true })).toBe('wal');
    const tables = db.sqlite
      .prepare("SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite%'")
      .all();
    expect(tables.length).toBeGreaterThan(7);
    expect(tables.filter((table) => (table as { strict: number }).strict !== 1)).toEqual([]);
  });

  it('lets one write and all read', () => {
    const db = writer();
    register(db);
    expect(tryOpenWriter(file)).toBeUndefined();
    const reader = tryOpenReader(file);
    expect(listRuns(reader!).map((run) => run.id)).toEqual(['r1']);
    expect(() => reader!.sqlite.exec('DELETE FROM runs')).toThrow('readonly');
    reader!.close();
    db.close();
    expect(writer().sqlite.open).toBe(true);
    expect(tryOpenReader(path.join(scratch, 'none.db'))).toBeUndefined();
  });

  it('refuses a newer history and leaves it as it is', () => {
    writer().close();
    const raw = new Database(file);
    raw.pragma(`user_version = ${latestVersion + 10}`);
    raw.close();
    expect(caught(() => tryOpenWriter(file)).code).toBe('database-newer');
    expect(caught(() => tryOpenReader(file)).code).toBe('database-newer');
    const again = new Database(file);
    expect(again.pragma('user_version', { simple: true })).toBe(latestVersion + 10);
    again.close();
  });

  it('reports a damaged history, whichever part of it is damaged', () => {
    const db = writer();
    const run = register(db);
    ingest(db, run, 0, {
      events: [
        started(),
        step(
          0,
          Array.from({ length: 3000 }, (_, o) => visit(o)),
        ),
      ],
      unknown: 0,
      offset: 9,
    });
    db.close();
    const good = readFileSync(file);
    writeFileSync(file, 'this is no database, and it is longer than a header would be'.repeat(90));
    const error = caught(() => tryOpenWriter(file));
    expect(error.code).toBe('database-damaged');
    expect(error.message).toContain(file);
    expect(error.hint).toContain('from the run folders');
    // The lock is free again: the fault is not followed by "somebody else writes".
    expect(caught(() => tryOpenWriter(file)).code).toBe('database-damaged');

    const torn = Buffer.from(good);
    torn.fill(0xa5, 4096 * 2);
    writeFileSync(file, torn);
    const work = (): unknown => {
      const half = tryOpenWriter(file);
      if (!half) throw new Error('locked');
      opened.push(half);
      try {
        return listRuns(half).map((each) => runProgress(half, each.run));
      } catch (fault) {
        throw databaseError(fault, file);
      }
    };
    expect(caught(work).code).toBe('database-damaged');
  });

  it('knows network disks by their type', () => {
    const mounts =
      '/dev/sda1 / ext4 rw 0 0\nserver:/home /home nfs4 rw 0 0\n/dev/sdb /home/my\\040disk xfs rw 0 0\nme@h:/ /mnt/x fuse.sshfs rw 0 0\n';
    expect(networkFileSystem('/var/lib', mounts)).toBeUndefined();
    expect(networkFileSystem('/home/u/.local', mounts)).toBe('nfs4');
    expect(networkFileSystem('/homes', mounts)).toBeUndefined();
    expect(networkFileSystem('/home/my disk/x', mounts)).toBeUndefined();
    expect(networkFileSystem('/mnt/x', mounts)).toBe('fuse.sshfs');
    expect(networkFileSystem('/x', '')).toBeUndefined();
  });
});

describe('migrations', () => {
  it('ascend by tens', () => {
    expect(migrations.map((step) => step.version)).toEqual(migrations.map((_, position) => 10 * (position + 1)));
  });

  it('run all or not at all', () => {
    const db = new Database(':memory:');
    const steps = [
      { version: 10, sql: 'CREATE TABLE a (x INTEGER) STRICT' },
      { version: 20, sql: 'CREATE TABLE b (x INTEGER) STRICT; CREATE TABLE a (y INTEGER)' },
    ];
    expect(() => migrate(db, steps)).toThrow('already exists');
    expect(db.pragma('user_version', { simple: true })).toBe(0);
    expect(db.prepare('SELECT count(*) AS n FROM sqlite_schema').get()).toEqual({ n: 0 });
    migrate(db, steps.slice(0, 1));
    migrate(db, steps.slice(0, 1));
    expect(db.pragma('user_version', { simple: true })).toBe(10);
    db.close();
  });
});

describe('the lock', () => {
  it('ends with its process', async () => {
    const place = path.join(scratch, 'lock');
    const script = `import { tryExclusiveLock } from ${JSON.stringify(path.join(import.meta.dirname, 'exclusive-lock.ts'))};
      console.log(tryExclusiveLock(process.argv[1]) ? 'held' : 'not'); setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script, place], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const said = await new Promise<string>((resolve) =>
      child.stdout.once('data', (data: Buffer) => resolve(data.toString().trim())),
    );
    expect(said).toBe('held');
    expect(tryExclusiveLock(place)).toBeUndefined();
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
    const lock = tryExclusiveLock(place);
    expect(lock).toBeDefined();
    lock?.release();
    expect(caught(() => tryExclusiveLock(path.join(scratch, 'no', 'folder'))).code).toBe('lock-unusable');
  });
});

describe('ingesting', () => {
  it('takes every kind in', () => {
    const db = writer();
    const run = register(db);
    const events = [
      started(),
      event({ kind: 'phase', name: 'training' }),
      step(0, [visit(0), visit(1)], NaN),
      log(2),
      evaluation(2, 1.5),
      checkpoint(2),
      event({ kind: 'resume_state', folder: '/r', rows: 2, step: 1 }),
      event({ kind: 'warning', code: 'w', message: 'careful' }),
    ];
    ingest(db, run, 0, { events, unknown: 3, offset: 100 });
    expect(findRun(db, 'r1')).toMatchObject({
      eventsOffset: 100,
      unknownLines: 3,
      phase: 'training',
      started: { segment: 0 },
      terminal: null,
    });
    expect(runProgress(db, run)).toEqual({ rows: 2, steps: 1, lastLog: { rows: 2, of: 9, ce: 1 } });
    expect(runEvaluations(db, run)).toMatchObject([{ set: 'held_out', rows: 2, mean: 1.5, n: 2 }]);
    expect(runCheckpoints(db, run).map((each) => each.kind)).toEqual(['adapter', 'resume']);
    expect(count(db, 'evaluation_rows')).toBe(2);
    // NaN is NULL; the blob holds three float64 a field.
    expect(db.sqlite.prepare('SELECT grad_norm FROM steps').get()).toEqual({ grad_norm: null });
    const { fields } = db.sqlite.prepare('SELECT fields FROM visits WHERE ordinal = 1').get() as { fields: Buffer };
    expect(Array.from({ length: 6 }, (_, at) => fields.readDoubleLE(8 * at))).toEqual([1, 2, 1, 0, 0, 1]);
    ingest(db, run, 100, {
      events: [event({ kind: 'finished', rows: 2, seconds: 1, folder: '/out' })],
      unknown: 0,
      offset: 120,
    });
    expect(findRun(db, 'r1')?.terminal).toMatchObject({ kind: 'finished', rows: 2 });
  });

  it('of the same batch twice changes nothing', () => {
    const db = writer();
    const run = register(db);
    const batch = { events: [started(), step(0, [visit(0)]), log(1), evaluation(1, 2)], unknown: 1, offset: 50 };
    ingest(db, run, 0, batch);
    ingest(db, run, 0, batch);
    expect([count(db, 'steps'), count(db, 'log_records'), count(db, 'evaluations'), count(db, 'visits')]).toEqual([
      1, 1, 1, 1,
    ]);
    expect(findRun(db, 'r1')).toMatchObject({ eventsOffset: 50, unknownLines: 1 });
    expect(register(db)).toBe(run);
  });

  it('that is cut off leaves neither events nor offset', () => {
    const db = writer();
    const run = register(db);
    ingest(db, run, 0, { events: [started()], unknown: 0, offset: 10 });
    // The third event cannot be stored (STRICT: no text in an INTEGER), which stands for any fault in the middle.
    const poisoned = { ...visit(2), t: 'many' as unknown as number };
    const batch = { events: [step(0, [visit(0)]), step(1, [visit(1)]), step(2, [poisoned])], unknown: 0, offset: 90 };
    expect(() => ingest(db, run, 10, batch)).toThrow();
    expect(count(db, 'steps')).toBe(0);
    expect(findRun(db, 'r1')?.eventsOffset).toBe(10);
    ingest(db, run, 10, { ...batch, events: batch.events.slice(0, 2) });
    expect(count(db, 'steps')).toBe(2);
  });

  it('survives being killed in the middle of a transaction', async () => {
    writer().close();
    const script = `import { tryOpenWriter } from ${JSON.stringify(path.join(import.meta.dirname, 'database.ts'))};
      const db = tryOpenWriter(process.argv[1]);
      db.sqlite.exec("BEGIN IMMEDIATE; INSERT INTO runs (id, folder, name, recipe, created, output, plan_sha256, settings, roles, model, ranks, total_rows, total_steps, bad_rows_allowed, bad_rows_found) VALUES ('half', '', '', '', 1.0, '', '', '', '', '', 1, 1, 1, 0, 0)");
      console.log('in'); process.kill(process.pid, 'SIGKILL');`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script, file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const signal = await new Promise((resolve) => child.once('exit', (_, name) => resolve(name)));
    expect(signal).toBe('SIGKILL');
    expect(listRuns(writer())).toEqual([]);
  });

  it('of a resumed segment replaces what lies beyond its start, and deletes nothing', () => {
    const db = writer();
    const run = register(db);
    const first = [started(), evaluation(0, 9)];
    for (const index of [0, 1, 2, 3])
      first.push(step(index, [visit(2 * index), visit(2 * index + 1)]), log(2 * index + 2));
    first.push(evaluation(4, 5), checkpoint(4), evaluation(8, 3), checkpoint(8));
    ingest(db, run, 0, { events: first, unknown: 0, offset: 100 });
    // Goes on from row 4, which is step 2; it evaluates at 4 once more.
    const second = [started(1, 4, 2), evaluation(4, 5.5), step(2, [visit(4), visit(5)]), log(6)];
    ingest(db, run, 100, { events: second, unknown: 0, offset: 200 });

    const valid = 'superseded_by IS NULL';
    const column = (sql: string): unknown[] => db.sqlite.prepare(sql).pluck().all();
    expect(column(`SELECT segment || ':' || step FROM steps WHERE ${valid} ORDER BY step`)).toEqual([
      '0:0',
      '0:1',
      '1:2',
    ]);
    expect(column(`SELECT segment || ':' || ordinal FROM visits WHERE ${valid} ORDER BY ordinal`)).toEqual([
      '0:0',
      '0:1',
      '0:2',
      '0:3',
      '1:4',
      '1:5',
    ]);
    expect(column(`SELECT superseded_by FROM steps WHERE segment = 0 ORDER BY step`)).toEqual([null, null, 1, 1]);
    expect(runEvaluations(db, run).map(({ rows, mean }) => [rows, mean])).toEqual([
      [0, 9],
      [4, 5.5],
    ]);
    expect(runCheckpoints(db, run).map(({ rows }) => rows)).toEqual([4]);
    expect(runLog(db, run).map(({ rows }) => rows)).toEqual([2, 4, 6]);
    expect([count(db, 'steps'), count(db, 'visits'), count(db, 'evaluations')]).toEqual([5, 10, 4]);
    expect(runProgress(db, run)).toMatchObject({ rows: 6, steps: 3, lastLog: { rows: 6 } });

    // A third from further back replaces the second's, and what the second replaced stays with it.
    ingest(db, run, 200, { events: [started(2, 2, 1), step(1, [visit(2), visit(3)])], unknown: 0, offset: 300 });
    expect(column(`SELECT segment || ':' || step FROM steps WHERE ${valid} ORDER BY step`)).toEqual(['0:0', '2:1']);
    expect(column(`SELECT superseded_by FROM steps WHERE segment = 0 ORDER BY step`)).toEqual([null, 2, 1, 1]);
  });

  it('of 100,000 visits takes seconds', () => {
    const db = writer();
    const run = register(db);
    ingest(db, run, 0, { events: [started()], unknown: 0, offset: 1 });
    const fields = Array.from({ length: 7 }, (_, f): [number, number, number] => [f / 3, 20, 0]);
    const steps = Array.from({ length: 12_500 }, (_, s) =>
      step(
        s,
        Array.from({ length: 8 }, (_, v) => ({ ...visit(8 * s + v), f: fields })),
      ),
    );
    const began = performance.now();
    for (let at = 0; at < steps.length; at += 250)
      ingest(db, run, 1 + at, { events: steps.slice(at, at + 250), unknown: 0, offset: 1 + at + 250 });
    const ms = performance.now() - began;
    console.log(`100,000 visits in ${ms.toFixed(0)} ms (${(ms / 100).toFixed(1)} us a visit)`);
    expect(count(db, 'visits')).toBe(100_000);
    expect(ms).toBeLessThan(15_000);
  });
});
