/**
 * A window whose history cannot be used: it says why and what to do, everything that would begin something is refused with the same words, the rest answers,
 * and once a person has done what the hint says, trying again works.
 */
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requestNames } from '../contract/window/names.ts';
import { projectFolder } from '../paths.ts';
import { networkFileSystem, tryOpenWriter } from '../store/database.ts';
import { madeRun } from '../trainer/testing/made-run.ts';
import { dispatch } from './dispatch.ts';
import { holderFile } from './runs/history-holder.ts';
import { openWindow, testData, type OpenedWindow, type TestData } from './testing/opened-window.ts';

let data: TestData;
let windows: OpenedWindow[];
beforeEach(() => {
  data = testData();
  windows = [];
});
afterEach(async () => {
  for (const { services, reports } of windows) {
    await services.close();
    expect(reports).toEqual([]);
  }
  data.remove();
});

function open(): OpenedWindow {
  const window = openWindow(data.environment);
  windows.push(window);
  return window;
}

/** Right inputs, so that a refusal is because of the history. */
const request = {
  ...{ recipe: 'webmix', settings: {}, model: '', processor: null, rowsFolders: [], output: null, name: null },
  ...{ allowBad: 0, ranks: 1, episodeIdsFile: null },
};
const row = { pool: '0123456789abcdef', episode: 'e', line: 1 };
const page = { pool: row.pool, filter: {}, from: 0, count: 1 };
const inputs: Record<string, object> = {
  ...{
    'runs.get': { run: 'r' },
    'runs.log': { run: 'r', before: null, bytes: 256 },
    'runs.rename': { run: 'r', name: 'n' },
  },
  ...{ 'runs.note': { run: 'r', note: '' }, 'runs.stop': { run: 'r', kill: false }, 'runs.resume': { run: 'r' } },
  'runs.series': { runs: ['r'], metrics: ['lr'], x: 'rows', from: null, to: null, points: 16, ema: 0 },
  ...{ 'draft.fromRun': { run: 'r' }, 'draft.paste': { text: 'x' }, 'draft.check': { request } },
  ...{ 'draft.pool': { job: 'j', rowsFolders: ['/x'] }, 'draft.census': { job: 'j', request } },
  ...{ 'draft.try': { job: 'j', request }, 'draft.launch': { job: 'j', request } },
  ...{ 'rows.open': { job: 'j', which: { folders: ['/x'] } }, 'rows.episodes': page, 'rows.list': page },
  ...{ 'rows.read': { ...row, model: null }, 'rows.image': { ...row, image: 0 } },
};

/** What holds for every problem. */
async function expectProblem(window: OpenedWindow, code: string): Promise<{ message: string; hint: string }> {
  const { historyProblem: problem } = await window.ask('app.info', {});
  expect(problem).toMatchObject({ code, message: expect.any(String), hint: expect.any(String) });
  for (const name of requestNames) {
    if (/^(app|machine|folders|job)\./.test(name)) continue;
    expect([name, await dispatch(window.services, name, inputs[name] ?? {})]).toEqual([
      name,
      { ok: false, error: problem },
    ]);
  }
  expect((await window.ask('machine.check', {})).items).toContainEqual({
    ...{ name: 'History', state: 'bad', text: problem?.message, hint: problem?.hint },
  });
  expect((await window.ask('folders.list', { folder: '/' })).folder).toBe('/');
  expect(await window.ask('job.cancel', { job: 'j' })).toEqual({ cancelled: false });
  return { message: problem?.message ?? '', hint: problem?.hint ?? '' };
}

describe('a history that', () => {
  const file = (): string => path.join(data.folder, 'whetstone.db');

  it('is of a newer Whetstone waits, unharmed, until it is moved away', async () => {
    const made = madeRun(data.runs, 3);
    tryOpenWriter(file())?.close();
    const newer = new Database(file());
    newer.pragma('user_version = 9000');
    newer.close();
    const window = open();
    const { message, hint } = await expectProblem(window, 'database-newer');
    expect(`${message} ${hint}`).toContain(file());
    expect(hint).toContain('WHETSTONE_DATABASE');
    const same = new Database(file(), { readonly: true });
    expect(same.pragma('user_version', { simple: true })).toBe(9000);
    same.close();
    for (const end of ['', '-wal', '-shm'])
      if (existsSync(file() + end)) renameSync(file() + end, `${file()}.newer${end}`);
    expect((await window.ask('app.retryHistory', {})).historyProblem).toBeNull();
    expect((await window.ask('runs.list', {})).runs.map(({ id }) => id)).toEqual([made.run.id]);
  });

  it('is damaged is made anew once it is moved away, as the hint says', async () => {
    const made = madeRun(data.runs, 3);
    writeFileSync(file(), 'no database, and longer than its head'.repeat(100));
    const window = open();
    const { hint } = await expectProblem(window, 'database-damaged');
    expect(hint).toContain(file());
    expect((await window.ask('app.retryHistory', {})).historyProblem).toMatchObject({ code: 'database-damaged' });
    renameSync(file(), `${file()}.damaged`);
    expect((await window.ask('app.retryHistory', {})).historyProblem).toBeNull();
    expect((await window.ask('runs.list', {})).runs.map(({ id }) => id)).toEqual([made.run.id]);
  });

  it('lies below a file says that a file is in the way', async () => {
    const blocked = path.join(data.folder, 'blocked');
    writeFileSync(blocked, '');
    data.environment['WHETSTONE_DATA'] = path.join(blocked, 'data');
    const window = open();
    expect((await expectProblem(window, 'folder-not-writable')).hint).toContain('WHETSTONE_DATA');
    rmSync(blocked);
    expect((await window.ask('app.retryHistory', {})).historyProblem).toBeNull();
  });

  it('another window holds names it; a command that holds it for a moment is waited for', async () => {
    const first = open();
    await first.ask('runs.list', {});
    const second = open();
    const { message } = await expectProblem(second, 'history-in-use');
    expect(message).toContain(`process ${process.pid} on ${os.hostname()}`);
    await first.services.close();
    expect((await second.ask('app.retryHistory', {})).historyProblem).toBeNull();
    await second.services.close();
    expect(existsSync(holderFile(data.environment))).toBe(false);

    const held = tryOpenWriter(file());
    setTimeout(() => held?.close(), 700);
    const third = open();
    expect((await third.ask('app.info', {})).historyProblem).toBeNull();
  });

  it('a process held that was killed is free, though its name still stands there', async () => {
    writeFileSync(
      holderFile(data.environment),
      JSON.stringify({ pid: 2 ** 22 + 1, host: os.hostname(), carrier: 'electron', since: 1 }),
    );
    expect((await open().ask('app.info', {})).historyProblem).toBeNull();
  });

  it.each(['not json', '{"pid": "x"}', ''])(
    'is named by a file that is damaged (%s) opens all the same',
    async (text) => {
      writeFileSync(holderFile(data.environment), text);
      expect((await open().ask('app.info', {})).historyProblem).toBeNull();
    },
  );

  it('would lie on a network disk is refused, through a link too', () => {
    const mounts = 'disk / ext4 rw 0 0\nserver:/home /mnt/far nfs4 rw 0 0\nx /mnt/far/local ext4 rw 0 0\n';
    expect(networkFileSystem('/mnt/far/data', mounts)).toBe('nfs4');
    expect(networkFileSystem('/mnt/far/local/data', mounts)).toBeUndefined();
    expect(networkFileSystem('/mnt/farther', mounts)).toBeUndefined();
    const real = path.join(data.folder, 'far');
    mkdirSync(real);
    symlinkSync(real, path.join(data.folder, 'near'));
    const here = `disk / ext4 rw 0 0\nserver:/x ${real} nfs rw 0 0\n`;
    expect(networkFileSystem(path.join(data.folder, 'near'), here)).toBe('nfs');
    expect(networkFileSystem(path.join(data.folder, 'near', 'not', 'there', 'yet'), here)).toBe('nfs');
  });
});

/** Rights count for everybody but root: as another user, on a copy that it may read. */
describe.skipIf(process.getuid?.() !== 0 || !existsSync('/usr/bin/setpriv'))('a data folder of another user', () => {
  it('is said to be read-only, and used once it is not', async () => {
    chmodSync(data.folder, 0o555);
    const script = `
      import { openWindow } from ${JSON.stringify(path.join(projectFolder, 'main/window/testing/opened-window.ts'))};
      const window = openWindow(process.env);
      const problem = async (name) => (await window.ask(name, {})).historyProblem;
      const say = (value) => console.log(JSON.stringify(value));
      say([await problem('app.info'), await window.refused('runs.list', {}), (await window.ask('machine.check', {})).items.length > 3]);
      process.stdin.once('data', async () => {
        say([await problem('app.retryHistory'), await window.ask('runs.list', {})]);
        await window.services.close();
        process.exit(0);
      });
    `;
    const child = spawn(
      'setpriv',
      ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, '--input-type=module', '-e', script],
      { env: data.environment, stdio: ['pipe', 'pipe', 'inherit'] },
    );
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const first = JSON.parse(String((await lines.next()).value)) as unknown[];
    expect(first[0]).toMatchObject({ code: 'folder-not-writable', hint: expect.stringContaining('permissions') });
    expect(first.slice(1)).toEqual([first[0], true]);
    chmodSync(data.folder, 0o777);
    child.stdin.write('go\n');
    expect(JSON.parse(String((await lines.next()).value))).toEqual([null, { runs: [], faults: [] }]);
  });

  it('whose database alone may not be written to is said to be so', () => {
    tryOpenWriter(path.join(data.folder, 'whetstone.db'))?.close();
    chmodSync(data.folder, 0o777);
    chmodSync(path.join(data.folder, 'whetstone.db.writer'), 0o666);
    chmodSync(path.join(data.folder, 'whetstone.db'), 0o444);
    const script = `
      import { openWindow } from ${JSON.stringify(path.join(projectFolder, 'main/window/testing/opened-window.ts'))};
      const window = openWindow(process.env);
      console.log(JSON.stringify((await window.ask('app.info', {})).historyProblem));
      await window.services.close();
    `;
    const said = execFileSync(
      'setpriv',
      ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, '--input-type=module', '-e', script],
      { encoding: 'utf8', env: data.environment },
    );
    expect(JSON.parse(said)).toMatchObject({
      code: 'database-read-only',
      hint: expect.stringContaining('permissions'),
    });
  });
});
