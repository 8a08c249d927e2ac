/** A window that is killed in the middle of taking runs in: the next one has exactly what a history made anew from the run folders has, row by row. */
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { projectFolder } from '../../paths.ts';
import { tryOpenWriter } from '../../store/database.ts';
import { syncRuns } from '../../trainer/sync.ts';
import { eventsFile } from '../../trainer/run-folder.ts';
import { madeRun } from '../../trainer/testing/made-run.ts';
import { openWindow, testData, until, type TestData } from '../testing/opened-window.ts';

let data: TestData;
beforeEach(() => (data = testData()));
afterEach(() => data.remove());

const line = (seq: number, kind: string, fields: object): string =>
  `${JSON.stringify({ v: 1, seq, time: 1.7e9 + seq, kind, ...fields })}\n`;

function writeRun(steps: number): string {
  const made = madeRun(data.runs, steps);
  const file = eventsFile(made.folder);
  let seq = 0;
  let text = '';
  const start = (segment: number, step: number): void => {
    text += line(seq++, 'started', {
      ...{ segment, from_rows: 2 * step, from_step: step, host: 'x', boot_id: 'x', pid: 1, process_start: 1 },
      ...{ plan_sha256: '', trainer: 'x', torch: 'x', device: { kind: 'cpu', name: 'x', memory_gib: 0 }, threads: 1 },
      ...{ ranks: 1, rows: 2 * steps, steps, trainable: 1 },
    });
  };
  start(0, 0);
  for (let step = 0, resumed = false; step < steps; step += 1) {
    if (step === steps >> 1 && !resumed) {
      resumed = true;
      step -= 20;
      start(1, step);
    }
    const visits = [0, 1].map((at) => ({
      ...{
        o: 2 * step + at,
        r: at,
        role: 0,
        e: 0,
        t: 9,
        n: 3,
        sum: step + at,
        w: 2,
        f: [
          [1, 2, 3],
          [4, 5, 6],
        ],
      },
    }));
    text += line(seq++, 'step', {
      ...{
        step,
        rows: 2 * step + 2,
        epoch: 0,
        lr: 1e-4,
        grad_norm: step % 97 === 0 ? 'nan' : step,
        tokens: 18,
        gpu_gib: 0,
      },
      ...{ seconds: { forward: 1, backward: 1, reference: 0, optimizer: 0, other: 0 }, visits },
    });
    if (step % 50 === 0) {
      text += line(seq++, 'log', { rows: 2 * step + 2, ce: step });
      text += line(seq++, 'evaluation', {
        ...{
          set: 'held_out',
          rows: 2 * step + 2,
          checkpoint: null,
          n: 2,
          mean: step,
          stderr: 0,
          hash: 'h',
          seconds: 1,
        },
        ...{ groups: [], fields: [], sums: [1, 2], counts: [1, 1] },
      });
      text += line(seq++, 'resume_state', { folder: `/x/${step}`, rows: 2 * step + 2, step });
      text += line(seq++, 'warning', { code: 'w', message: `at ${step}` });
    }
  }
  appendFileSync(file, `${text}${line(seq, 'finished', { rows: 2 * steps, seconds: 1, folder: '/x' })}`);
  return made.run.id;
}

/** Everything in it, without the keys that the order of taking in decides. */
function contents(file: string): Record<string, unknown[]> {
  const database = new Database(file, { readonly: true });
  const runs = new Map(
    (database.prepare('SELECT run, id FROM runs').all() as { run: number; id: string }[]).map(({ run, id }) => [
      run,
      id,
    ]),
  );
  const tables = ['runs', 'segments', 'steps', 'visits', 'checkpoints', 'log_records', 'warnings', 'evaluations'];
  const all = tables.map((table): [string, unknown[]] => {
    const rows = database.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[];
    const own = new Set(['evaluation', 'checkpoint', 'log_record', 'warning']);
    return [
      table,
      rows
        .map((row) =>
          JSON.stringify(
            Object.entries(row)
              .filter(([name, value]) => !(own.has(name) && typeof value === 'number'))
              .map(([name, value]) => [name, name === 'run' ? runs.get(value as number) : value]),
          ),
        )
        .sort(),
    ];
  });
  const sums = database
    .prepare(
      `SELECT runs.id, set_name, evaluations.rows, evaluations.segment, position, sum, count FROM evaluation_rows JOIN evaluations USING (evaluation) JOIN runs USING (run)
       ORDER BY 1, 2, 3, 4, 5`,
    )
    .raw()
    .all();
  database.close();
  return { ...Object.fromEntries(all), sums };
}

it('is taken up where it was killed', async () => {
  const ids = [1, 2, 3].map(() => writeRun(1800));
  const file = path.join(data.folder, 'whetstone.db');
  const script = `
    import { createServices } from ${JSON.stringify(path.join(projectFolder, 'main/window/services.ts'))};
    const services = createServices({ host: { carrier: 'serve' } });
    setInterval(() => {}, 1000);
    await services.handlers['app.info']({});
  `;
  const taken = (): number => {
    if (!existsSync(file)) return 0;
    try {
      const database = new Database(file, { readonly: true });
      const sum = database.prepare('SELECT total(events_offset) FROM runs').pluck().get() as number;
      database.close();
      return sum;
    } catch {
      return 0;
    }
  };
  let killedInBetween = 0;
  for (let round = 0, last = 0; round < 3; round += 1) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      env: data.environment,
      stdio: 'ignore',
    });
    const gone = new Promise((resolve) => child.on('exit', resolve));
    // As soon as it has taken something in, and some moments of chance later.
    await until(() => taken() > last || child.exitCode !== null);
    await new Promise((resolve) => setTimeout(resolve, 11 * round));
    child.kill('SIGKILL');
    await gone;
    last = taken();
    const whole = ids.every((id) => {
      const database = new Database(file, { readonly: true });
      const terminal: unknown = database.prepare('SELECT terminal FROM runs WHERE id = ?').pluck().get(id);
      database.close();
      return typeof terminal === 'string';
    });
    if (whole) break;
    killedInBetween += 1;
  }
  expect(killedInBetween).toBeGreaterThan(1);

  const window = openWindow(data.environment);
  await until(
    async () => (await window.ask('runs.list', {})).runs.filter(({ state }) => state === 'finished').length === 3,
  );
  const rows = (await window.ask('runs.list', {})).runs;
  await window.services.close();

  // Made anew, by the command line's way of taking runs in.
  const anew = path.join(data.folder, 'anew');
  mkdirSync(anew);
  data.environment['WHETSTONE_DATABASE'] = path.join(anew, 'whetstone.db');
  const writer = tryOpenWriter(path.join(anew, 'whetstone.db'));
  if (!writer) throw new Error('the new history is held by another');
  expect(syncRuns(writer, data.runs)).toEqual([]);
  writer.close();
  const other = openWindow(data.environment);
  await until(
    async () => (await other.ask('runs.list', {})).runs.filter(({ state }) => state === 'finished').length === 3,
  );
  expect((await other.ask('runs.list', {})).runs.map((row) => ({ ...row, lastHeardSeconds: 0 }))).toEqual(
    rows.map((row) => ({ ...row, lastHeardSeconds: 0 })),
  );
  await other.services.close();
  expect([...window.reports, ...other.reports]).toEqual([]);
  const [one, two] = [contents(file), contents(path.join(anew, 'whetstone.db'))];
  expect(one['steps']).toHaveLength(3 * 1820);
  for (const table of Object.keys(two)) expect([table, one[table]]).toEqual([table, two[table]]);

  // Nothing half-written of the user's lies about.
  expect(readdirSync(data.folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  rmSync(anew, { recursive: true });
}, 120_000);
