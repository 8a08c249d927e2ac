/** From run folders to the history, with runs that the fake trainer made. */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '../contract/errors.ts';
import { tryOpenWriter, type WriteDb } from '../store/database.ts';
import { listRuns, runLog } from '../store/runs.ts';
import { killsUserProcesses, logoutWarning } from './logout.ts';
import { checkOutputFolder } from './output-folder.ts';
import { eventsFile, planFile } from './run-folder.ts';
import { startTrainer } from './spawn.ts';
import { summarize } from './summary.ts';
import { syncRun, syncRuns } from './sync.ts';
import { fakeTrainer, madeRun } from './testing/made-run.ts';

let scratch: string;
let environment: Record<string, string | undefined>;
beforeAll(() => {
  scratch = mkdtempSync(path.join(os.tmpdir(), 'whetstone-sync-'));
  environment = { ...process.env, WHETSTONE_TRAINER: fakeTrainer(scratch) };
});
afterAll(() => rmSync(scratch, { recursive: true }));

const open = (file: string): WriteDb => {
  const db = tryOpenWriter(file);
  if (!db) throw new Error('somebody else writes');
  return db;
};
const count = (db: WriteDb, table: string): unknown => db.sqlite.prepare(`SELECT count(*) FROM ${table}`).pluck().get();

describe('the history', () => {
  it('is made from run folders, and made again to the same', async () => {
    const runs = path.join(scratch, 'runs');
    const good = madeRun(runs, 10);
    const { exited } = await startTrainer(good.folder, good.run, {
      environment,
      added: { WEBMIX_FAKE_TRAINER: 'garbage' },
    });
    await exited;
    const waiting = madeRun(runs, 3);
    const broken = madeRun(runs, 3);
    writeFileSync(planFile(broken.folder), '{"format": "whetstone-plan"}');
    mkdirSync(path.join(runs, 'not-a-run'));

    const look = (db: WriteDb) => {
      const faults = syncRuns(db, runs);
      expect(faults.map((fault) => fault.folder)).toEqual([broken.folder]);
      return listRuns(db).map((record) => {
        const summary = { ...summarize(db, record), lastHeardSeconds: null };
        return { ...summary, log: runLog(db, record.run), visits: count(db, 'visits'), steps: count(db, 'steps') };
      });
    };
    const db = open(path.join(scratch, 'a.db'));
    const first = look(db);
    expect(first).toHaveLength(2);
    expect(first.find((each) => each.id === good.run.id)).toMatchObject({
      ...{ state: 'finished', rows: 20, totalRows: 20, steps: 10, totalSteps: 10, unknownLines: 2, visits: 20 },
      evaluations: [{ set: 'held_out', rows: 20, n: 2 }],
    });
    expect(first.find((each) => each.id === waiting.run.id)).toMatchObject({ state: 'preparing', rows: 0 });
    // Again, and what came meanwhile: a torn line counts only when it is whole.
    const line = JSON.stringify({ v: 1, seq: 99, time: 1, kind: 'log', rows: 20, of: 20, ce: 0.5 });
    appendFileSync(eventsFile(good.folder), line.slice(0, 30));
    expect(look(db)).toEqual(first);
    appendFileSync(eventsFile(good.folder), `${line.slice(30)}\n`);
    syncRun(db, good.folder);
    syncRun(db, good.folder);
    const later = look(db);
    expect(later.find((each) => each.id === good.run.id)?.log).toHaveLength(3);
    db.close();
    const anew = open(path.join(scratch, 'b.db'));
    expect(look(anew)).toEqual(later);
    anew.close();
  });
});

describe('the output folder', () => {
  const code = (folder: string): string => {
    try {
      checkOutputFolder(folder);
      return 'good';
    } catch (error) {
      return error instanceof AppError ? error.code : String(error);
    }
  };

  it.each(['adapter_model.safetensors', 'train_log.jsonl', 'DONE', 'whetstone.json', 'webmix_meta.json'])(
    'with %s is taken',
    (name) => {
      const folder = mkdtempSync(path.join(scratch, 'out-'));
      expect(code(folder)).toBe('good');
      writeFileSync(path.join(folder, 'notes.txt'), 'mine');
      expect(code(folder)).toBe('good');
      writeFileSync(path.join(folder, name), '');
      expect(code(folder)).toBe('output-holds-run');
    },
  );

  it('cannot be a file or lie below one, and need not be there', () => {
    const file = path.join(scratch, 'file');
    writeFileSync(file, '');
    expect([code(file), code(path.join(file, 'x')), code(path.join(scratch, 'new', 'deep'))]).toEqual([
      'output-not-folder',
      'output-not-folder',
      'good',
    ]);
  });
});

describe('logout', () => {
  it('is warned of where systemd kills what is left, and in containers', () => {
    const root = mkdtempSync(path.join(scratch, 'root-'));
    expect(logoutWarning(root)).toBeUndefined();
    mkdirSync(path.join(root, 'etc/systemd/logind.conf.d'), { recursive: true });
    writeFileSync(path.join(root, 'etc/systemd/logind.conf'), '[Login]\n#KillUserProcesses=yes\n');
    expect(killsUserProcesses(root)).toBe(false);
    writeFileSync(path.join(root, 'etc/systemd/logind.conf.d/10.conf'), '[Login]\nKillUserProcesses=yes\n');
    expect(logoutWarning(root)).toContain('KillUserProcesses');
    writeFileSync(path.join(root, 'etc/systemd/logind.conf.d/20.conf'), '[Login]\nKillUserProcesses=no\n');
    expect(logoutWarning(root)).toBeUndefined();
    writeFileSync(path.join(root, '.dockerenv'), '');
    expect(logoutWarning(root)).toContain('container');
  });
});
