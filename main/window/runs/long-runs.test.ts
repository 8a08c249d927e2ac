/** Long runs are read in slices and large plans in a thread: both have to give what reading at once would give. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunEvent } from '../../contract/events.ts';
import { tryOpenWriter, type WriteDb } from '../../store/database.ts';
import { ingest } from '../../store/ingest.ts';
import { findRun } from '../../store/runs.ts';
import { readRegisteredPlan, syncRun } from '../../trainer/sync.ts';
import { madeRun } from '../../trainer/testing/made-run.ts';
import { readPlanFacts } from './plan-facts.ts';
import { PlanReader } from './plan-reader.ts';
import { ColumnsCache } from './run-columns.ts';

const steps = 4500;
let data: string;
let folder: string;
let db: WriteDb;
beforeAll(() => {
  data = mkdtempSync(path.join(os.tmpdir(), 'whetstone-long-'));
  ({ folder } = madeRun(path.join(data, 'runs'), steps));
  db = openHistory('test.db');
}, 60_000);
/** A history that has all steps of the run. */
function openHistory(name: string): WriteDb {
  const opened = tryOpenWriter(path.join(data, name));
  if (!opened) throw new Error('the history is in use');
  const events = [started(0), ...Array.from({ length: steps }, (_, step) => stepOf(step))];
  ingest(opened, syncRun(opened, folder), 0, { events, unknown: 0, offset: 1 });
  return opened;
}
afterAll(() => {
  db.close();
  rmSync(data, { recursive: true, force: true });
});
const record = () => {
  const found = findRun(db, path.basename(folder));
  if (!found) throw new Error('no run');
  return found;
};
const started = (segment: number, fromStep = 0): RunEvent => ({
  ...{ v: 1, seq: 0, time: 1e9, kind: 'started', segment, from_rows: fromStep * 2, from_step: fromStep },
  ...{ host: 'h', boot_id: 'b', pid: 1, process_start: 1, plan_sha256: 'p', trainer: 't', torch: 't', threads: 1 },
  ...{ ranks: 1, device: { kind: 'cpu', name: 'c', memory_gib: 0 }, rows: steps * 2, steps, trainable: 1 },
});
const stepOf = (step: number): RunEvent => ({
  ...{ v: 1, seq: 0, time: 1e9 + step, kind: 'step', step, rows: 2 * (step + 1), epoch: 0, lr: 1e-4, grad_norm: 1 },
  ...{ tokens: 10, gpu_gib: 0 },
  seconds: { forward: 1, backward: 0, reference: 0, optimizer: 0, other: 0 },
  visits: [{ o: step, r: 0, role: 0, e: 0, t: 10, n: 3, sum: step, w: 3, clamped: 0, f: [] }],
});

describe('columns of a long run', () => {
  it('hold every step once, whoever asks while they are read', async () => {
    const cache = new ColumnsCache();
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 0);
    const [one, other] = await Promise.all([cache.of(db, record()), cache.of(db, record())]);
    clearInterval(counting);
    expect(other).toBe(one);
    expect([...one.kept.step.values]).toEqual(Array.from({ length: steps }, (_, step) => step));
    expect(one.kept.metric('loss:ce')?.value).toHaveLength(steps);
    // Others had their turn in between.
    expect(turns).toBeGreaterThan(1);
  });

  it('begin anew where a segment begins while they are read, and then have what it replaced apart', async () => {
    const cache = new ColumnsCache();
    const reading = cache.of(db, record());
    // The first slice has been read by now, with steps that count no more from here on.
    const { eventsOffset, run } = record();
    ingest(db, run, eventsOffset, { events: [started(1, 500)], unknown: 0, offset: eventsOffset + 1 });
    const { kept, replaced } = await reading;
    expect(kept.length).toBe(500);
    expect(kept.step.last).toBe(499);
    expect([...replaced.keys()]).toEqual([0]);
    expect([...(replaced.get(0)?.step.values ?? [])]).toEqual(Array.from({ length: steps - 500 }, (_, at) => 500 + at));
    expect(replaced.get(0)?.rows.values[0]).toBe(1002);
  });

  it('say that the history was closed', async () => {
    const other = openHistory('other.db');
    const found = findRun(other, path.basename(folder));
    const reading = new ColumnsCache().of(other, found ?? record());
    other.close();
    await expect(reading).rejects.toMatchObject({ code: 'closing' });
  });
});

describe('plans', () => {
  it('are the same from the thread and from here', async () => {
    const [thread, here] = [new PlanReader(0), new PlanReader(1e9)];
    try {
      expect(await thread.registered(folder)).toEqual(readRegisteredPlan(folder));
      expect(await here.registered(folder)).toEqual(readRegisteredPlan(folder));
      const facts = readPlanFacts({ folder, failed: [7] });
      expect(facts.failedRows).toHaveLength(1);
      expect(await thread.facts(folder, [7])).toEqual(facts);
      expect(await here.facts(folder, [7])).toEqual(facts);
      // Asked again, nothing is read again.
      expect(await thread.facts(folder, [7])).toBe(await thread.facts(folder, [7]));
    } finally {
      await thread.close();
    }
  });

  it('that are not there have no facts, and are no runs', async () => {
    const thread = new PlanReader(0);
    expect(await thread.facts(path.join(data, 'nowhere'), [])).toBeUndefined();
    await expect(thread.registered(path.join(data, 'nowhere'))).rejects.toMatchObject({ name: 'AppError' });
    await thread.close();
  });
});
