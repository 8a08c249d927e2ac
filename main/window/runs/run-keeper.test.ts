/** Following runs and keeping the history, with real files, real processes and the fake trainer. */
import { execFile } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Pushes } from '../../contract/window/pushes.ts';
import { projectFolder } from '../../paths.ts';
import { eventsFile, planFile } from '../../trainer/run-folder.ts';
import { startTrainer } from '../../trainer/spawn.ts';
import { fakeTrainer, madeRun } from '../../trainer/testing/made-run.ts';
import { Jobs } from '../jobs.ts';
import { holderFile } from './history-holder.ts';
import { RunKeeper } from './run-keeper.ts';
import { runsPart } from './runs-part.ts';

type Push = { at: number } & Pushes['runs.changed'];

let data: string;
let runs: string;
let environment: Record<string, string | undefined>;
let keepers: RunKeeper[];
beforeEach(() => {
  data = mkdtempSync(path.join(os.tmpdir(), 'whetstone-keeper-'));
  runs = path.join(data, 'runs');
  environment = {
    ...process.env,
    WHETSTONE_DATA: data,
    WHETSTONE_DATABASE: undefined,
    WHETSTONE_TRAINER: fakeTrainer(data),
  };
  keepers = [];
});
afterEach(() => {
  for (const keeper of keepers) keeper.close();
  rmSync(data, { recursive: true, force: true });
});

function open(waitMs = 5000) {
  const pushes: Push[] = [];
  const push = (name: string, payload: unknown): void => {
    if (name === 'runs.changed') pushes.push({ at: performance.now(), ...(payload as Pushes['runs.changed']) });
  };
  const reports: unknown[] = [];
  const report = (error: unknown): void => void reports.push(error);
  const keeper = new RunKeeper({ environment, push, report, carrier: 'serve', waitMs });
  keepers.push(keeper);
  const context = { host: { carrier: 'serve' as const }, environment, push, report, jobs: new Jobs(push), keeper };
  return { keeper, pushes, reports, handlers: runsPart(context).handlers };
}

const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  for (let tries = 0; !(await holds()); tries += 1) {
    if (tries > 800) throw new Error('waited for too long');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
};
const start = (made: ReturnType<typeof madeRun>, wish = '') =>
  startTrainer(made.folder, made.run, { environment, added: { WEBMIX_FAKE_TRAINER: wish } });

const line = (kind: string, fields: object): string =>
  `${JSON.stringify({ v: 1, seq: 0, time: Date.now() / 1000, kind, ...fields })}\n`;
const stepLine = (step: number): string =>
  line('step', {
    ...{ step, rows: 2 * (step + 1), epoch: 0, lr: 1e-4, grad_norm: 1, tokens: 10, gpu_gib: 0, visits: [] },
    seconds: { forward: 1, backward: 0, reference: 0, optimizer: 0, other: 0 },
  });

describe('the keeper', () => {
  it('follows a run, stops it when asked, and goes on with it', async () => {
    const { handlers, reports } = open();
    expect(await handlers['runs.list']({})).toEqual({ runs: [], faults: [] });
    const made = madeRun(runs, 400);
    await start(made, 'slow:20');
    const state = async () => (await handlers['runs.list']({})).runs[0]?.state;
    await until(async () => ((await handlers['runs.list']({})).runs[0]?.steps ?? 0) > 3);
    await handlers['runs.stop']({ run: made.run.id, kill: false });
    expect(['stopping', 'stopped']).toContain(await state());
    await until(async () => (await state()) === 'stopped');
    const [row] = (await handlers['runs.list']({})).runs;
    expect(row).toMatchObject({ canResume: true, folderGone: false, totalSteps: 400 });
    expect(await handlers['runs.resume']({ run: made.run.id })).toMatchObject({ run: made.run.id, name: 'made' });
    await until(async () => ((await handlers['runs.list']({})).runs[0]?.steps ?? 0) > (row?.steps ?? 0));
    await handlers['runs.stop']({ run: made.run.id, kill: true });
    await until(async () => (await state()) === 'stopped');
    const detail = await handlers['runs.get']({ run: made.run.id });
    expect(detail.segments).toHaveLength(2);
    expect(reports).toEqual([]);
  });

  it('tells a step soon, not before its line is whole, and at most ten times a second', async () => {
    const made = madeRun(runs, 500);
    const { keeper, pushes, handlers } = open();
    await keeper.ready();
    const delays: number[] = [];
    for (let step = 0; step < 8; step += 1) {
      const text = stepLine(step);
      appendFileSync(eventsFile(made.folder), text.slice(0, 40));
      await new Promise((resolve) => setTimeout(resolve, 130 + 17 * step));
      const seen = pushes.length;
      expect((await handlers['runs.list']({})).runs[0]?.steps).toBe(step);
      appendFileSync(eventsFile(made.folder), text.slice(40));
      const at = performance.now();
      await until(() => pushes.slice(seen).some((push) => push.runs.includes(made.run.id)));
      delays.push((pushes.at(-1)?.at ?? Infinity) - at);
      expect((await handlers['runs.list']({})).runs[0]?.steps).toBe(step + 1);
    }
    delays.sort((one, other) => one - other);
    // The middle one: a busy machine may hold up a single one.
    expect(delays[4]).toBeLessThan(250);
    for (let step = 8; step < 200; step += 1) {
      appendFileSync(eventsFile(made.folder), stepLine(step));
      await new Promise((resolve) => setTimeout(resolve, 8));
    }
    for (const { at } of pushes)
      expect(pushes.filter((push) => push.at >= at && push.at < at + 1000).length).toBeLessThanOrEqual(10);
  });

  it('shows a run whose folder was deleted, and hides no other behind a broken one', async () => {
    const [good, lost] = [madeRun(runs, 5), madeRun(runs, 5)];
    await Promise.all([start(good), start(lost)].map(async (started) => (await started).exited));
    const broken = madeRun(runs, 5);
    writeFileSync(planFile(broken.folder), '{"format": "whetstone-plan"}');
    const { keeper, handlers } = open();
    await keeper.ready();
    await until(async () => (await handlers['runs.list']({})).runs.length === 2);
    expect((await handlers['runs.list']({})).faults.map(({ folder }) => folder)).toEqual([broken.folder]);
    rmSync(lost.folder, { recursive: true });
    rmSync(broken.folder, { recursive: true });
    await until(async () => (await handlers['runs.list']({})).runs.some(({ folderGone }) => folderGone));
    const list = await handlers['runs.list']({});
    expect(list.runs.map(({ id, folderGone, state, rows }) => [id, folderGone, state, rows]).sort()).toEqual(
      [
        [good.run.id, false, 'finished', 10],
        [lost.run.id, true, 'finished', 10],
      ].sort(),
    );
    await until(async () => (await handlers['runs.list']({})).faults.length === 0);
    await expect(handlers['runs.log']({ run: lost.run.id, before: null, bytes: 1000 })).rejects.toMatchObject({
      code: 'run-folder-gone',
    });
    expect((await handlers['runs.get']({ run: lost.run.id })).evaluations).toHaveLength(2);
  });

  it('keeps names and notes in the run folder, so that they outlive the database', async () => {
    const made = madeRun(runs, 3);
    const first = open();
    await until(async () => (await first.handlers['runs.list']({})).runs.length === 1);
    await first.handlers['runs.rename']({ run: made.run.id, name: 'the good one' });
    await first.handlers['runs.note']({ run: made.run.id, note: 'lr too high' });
    first.keeper.close();
    for (const end of ['', '-wal', '-shm']) rmSync(path.join(data, `whetstone.db${end}`), { force: true });
    const second = open();
    await until(async () => (await second.handlers['runs.list']({})).runs.length === 1);
    expect((await second.handlers['runs.list']({})).runs[0]).toMatchObject({
      name: 'the good one',
      note: 'lr too high',
    });
  });

  it('names who has the history, and takes it when it is free', async () => {
    const first = open();
    await first.keeper.ready();
    expect(JSON.parse(readFileSync(holderFile(environment), 'utf8'))).toMatchObject({
      pid: process.pid,
      carrier: 'serve',
    });
    const second = open(200);
    await second.keeper.ready();
    expect(second.keeper.problem).toMatchObject({ code: 'history-in-use' });
    expect(second.keeper.problem?.message).toContain(`process ${process.pid}`);
    await expect(second.handlers['runs.list']({})).rejects.toMatchObject({ code: 'history-in-use' });
    first.keeper.close();
    expect(existsSync(holderFile(environment))).toBe(false);
    await second.keeper.retry();
    expect(second.keeper.problem).toBeNull();
    expect(await second.handlers['runs.list']({})).toEqual({ runs: [], faults: [] });
  });

  it('says what is wrong with a database that is damaged, and makes it anew once it is moved away', async () => {
    mkdirSync(data, { recursive: true });
    const made = madeRun(runs, 3);
    writeFileSync(path.join(data, 'whetstone.db'), 'not a database at all, not even nearly so'.repeat(50));
    const { keeper, handlers } = open();
    await keeper.ready();
    expect(keeper.problem).toMatchObject({ code: 'database-damaged' });
    rmSync(path.join(data, 'whetstone.db'));
    await keeper.retry();
    await until(async () => (await handlers['runs.list']({})).runs[0]?.id === made.run.id);
  });

  it('leaves the command line to read the same history', async () => {
    const made = madeRun(runs, 3);
    const { handlers } = open();
    await until(async () => (await handlers['runs.list']({})).runs.length === 1);
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [path.join(projectFolder, 'main/cli/main.ts'), 'runs', '--json'],
      { env: environment },
    );
    expect(JSON.parse(stdout)).toMatchObject([{ id: made.run.id, state: 'preparing' }]);
  });
});
