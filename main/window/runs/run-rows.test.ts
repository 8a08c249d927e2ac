/** Lines of the runs table against what the events say: rates, time left, time at work, warnings, failed rows. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Plan } from '../../contract/plan.ts';
import { eventsFile, planFile, writeRunFile } from '../../trainer/run-folder.ts';
import { madeRun } from '../../trainer/testing/made-run.ts';
import { openWindow, testData, until, type OpenedWindow, type TestData } from '../testing/opened-window.ts';

let data: TestData;
let window: OpenedWindow;
beforeEach(() => {
  data = testData();
  window = openWindow(data.environment);
});
afterEach(async () => {
  await window.services.close();
  data.remove();
});

/** A run on another host, whose clock is given: 4 rows and 2 s a step, evaluations of 100 s. */
class Told {
  readonly made = madeRun(data.runs, 200);
  time = 1.7e9;
  #seq = 0;

  emit(kind: string, fields: object): this {
    const line = JSON.stringify({ v: 1, seq: this.#seq++, time: this.time, kind, ...fields });
    appendFileSync(eventsFile(this.made.folder), `${line}\n`);
    return this;
  }

  start(segment = 0, step = 0): this {
    return this.emit('started', {
      ...{ segment, from_rows: step * 4, from_step: step, host: 'elsewhere', boot_id: 'x', pid: 1, process_start: 1 },
      ...{ plan_sha256: '', trainer: 'x', torch: 'x', device: { kind: 'cpu', name: 'x', memory_gib: 0 } },
      ...{ threads: 1, ranks: 1, rows: 400, steps: 100, trainable: 1 },
    });
  }

  step(step: number, seconds = 2): this {
    this.time += seconds;
    return this.emit('step', {
      ...{ step, rows: 4 * (step + 1), epoch: 0, lr: 1e-4, grad_norm: 1, tokens: 10, gpu_gib: 0, visits: [] },
      seconds: {
        forward: seconds / 2,
        backward: seconds / 4,
        reference: seconds / 8,
        optimizer: seconds / 8,
        other: 0,
      },
    });
  }

  evaluation(step: number): this {
    this.time += 100;
    return this.emit('evaluation', {
      ...{ set: 'held_out', rows: 4 * step, checkpoint: null, n: 1, mean: 1, stderr: 0, hash: 'h', seconds: 100 },
      ...{ groups: [], fields: [], sums: [1], counts: [1] },
    });
  }

  async row(rows: number) {
    const own = async () => (await window.ask('runs.list', {})).runs.find(({ id }) => id === this.made.run.id);
    await until(async () => (await own())?.rows === rows);
    const row = await own();
    if (!row) throw new Error('gone');
    return row;
  }
}

describe('rates', () => {
  it('leave evaluations and other pauses out, and are unknown before two steps', async () => {
    const told = new Told().start();
    expect(await told.row(0)).toMatchObject({ rowsPerSecond: null, etaSeconds: null, started: 1.7e9 });
    told.step(0);
    expect(await told.row(4)).toMatchObject({ rowsPerSecond: null, etaSeconds: null });
    told.step(1).evaluation(2).step(2).evaluation(3).step(3);
    const row = await told.row(16);
    expect(row.rowsPerSecond).toBeCloseTo(2);
    expect(row.etaSeconds).toBeCloseTo((400 - 16) / 2);
    // Until its last word, since the clock is another's; evaluations are work.
    expect(row.durationSeconds).toBeCloseTo(208);
  });

  it('are those of the last steps', async () => {
    const told = new Told().start();
    for (let step = 0; step < 60; step += 1) told.step(step, 10);
    for (let step = 60; step < 110; step += 1) told.step(step, 1);
    expect((await told.row(440)).rowsPerSecond).toBeCloseTo(4);
  });

  it('do not count the rows of a step whose line is damaged for the next one', async () => {
    const told = new Told().start().step(0).step(1);
    appendFileSync(eventsFile(told.made.folder), '{"v": 1, "kind": "step", torn\n');
    told.step(3).step(4);
    const row = await told.row(20);
    expect(row.rowsPerSecond).toBeCloseTo(2);
    expect(row.unknownLines).toBe(1);
    const { series } = await window.ask('runs.series', {
      ...{ runs: [row.id], metrics: ['rows_per_s'], x: 'steps', from: null, to: null, points: 100, ema: 0 },
    });
    expect([...(series[0]?.step ?? [])]).toEqual([0, 1, 4]);
    expect([...(series[0]?.last ?? [])]).toEqual([2, 2, 2]);
  });

  it('know nothing of a run that is over, and time between segments is no work', async () => {
    const told = new Told().start().step(0).step(1).emit('stopped', { rows: 8, seconds: 4, resume: null });
    const stopped = await told.row(8);
    expect(stopped).toMatchObject({ state: 'stopped', etaSeconds: null, canResume: false });
    expect(stopped.durationSeconds).toBeCloseTo(4);
    told.time += 5000;
    told.start(1, 2).step(2).emit('finished', { rows: 12, seconds: 2, folder: '/x' });
    const finished = await told.row(12);
    expect(finished).toMatchObject({ state: 'finished', etaSeconds: null });
    expect(finished.durationSeconds).toBeCloseTo(6);
  });
});

describe('what went wrong', () => {
  it('is told with the rows by name, all warnings, and how many rows were left out', async () => {
    const told = new Told();
    writeRunFile(told.made.folder, { ...told.made.run, badRows: { allowed: 5, found: 3 } });
    await window.services.close();
    const plan = JSON.parse(readFileSync(planFile(told.made.folder), 'utf8')) as Plan;
    writeFileSync(planFile(told.made.folder), JSON.stringify(plan));
    told.start().step(0).emit('warning', { code: 'clock', message: 'the clock was set back' });
    told.emit('warning', { code: 'slow', message: 'the disk is slow' });
    told.emit('failed', {
      code: 'non-finite',
      message: 'the loss is nan',
      hint: 'lower lr',
      visits: [5, 2, 1_000_000],
    });
    window = openWindow(data.environment);
    await told.row(4);
    const detail = await window.ask('runs.get', { run: told.made.run.id });
    expect(detail).toMatchObject({
      state: 'failed',
      failure: { code: 'non-finite', message: 'the loss is nan', hint: 'lower lr' },
      badRows: { allowed: 5, found: 3 },
      warnings: [
        { code: 'clock', message: 'the clock was set back' },
        { code: 'slow', message: 'the disk is slow' },
      ],
    });
    // Visit 5 of the made plan is row 1 in step 2.
    expect(detail.failedRows).toEqual([
      'a:2 (step 2, visit 5)',
      'a:3 (step 1, visit 2)',
      'a row that the plan does not name (step ?, visit 1000000)',
    ]);
    expect(window.reports).toEqual([]);
  });
});
