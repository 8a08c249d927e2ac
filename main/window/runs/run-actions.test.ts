/** Stopping and resuming from a window that is pressed twice, beside other windows and commands, and on runs of other hosts. */
import { execFile } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projectFolder } from '../../paths.ts';
import { bootId, hostName, processStart } from '../../trainer/process-identity.ts';
import { eventsFile, readRunFile, stopFile } from '../../trainer/run-folder.ts';
import { startTrainer } from '../../trainer/spawn.ts';
import { startLockFile } from '../../trainer/start-lock.ts';
import { madeRun } from '../../trainer/testing/made-run.ts';
import { openWindow, testData, until, type OpenedWindow, type TestData } from '../testing/opened-window.ts';

let data: TestData;
let windows: OpenedWindow[];
beforeEach(() => {
  data = testData();
  windows = [];
});
afterEach(async () => {
  for (const window of windows) {
    for (const { id, state } of (await window.ask('runs.list', {}).catch(() => ({ runs: [] }))).runs)
      if (state === 'running' || state === 'preparing')
        await window.ask('runs.stop', { run: id, kill: true }).catch(() => null);
    await window.services.close();
  }
  data.remove();
});

function open(): OpenedWindow {
  const window = openWindow(data.environment);
  windows.push(window);
  return window;
}
const start = (made: ReturnType<typeof madeRun>, wish: string) =>
  startTrainer(made.folder, made.run, { environment: data.environment, added: { WEBMIX_FAKE_TRAINER: wish } });
const kinds = (folder: string): string[] =>
  readFileSync(eventsFile(folder), 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { kind: string }).kind);
const row = async (window: OpenedWindow, id: string) =>
  (await window.ask('runs.list', {})).runs.find((each) => each.id === id);
const whetstone = (...args: string[]) =>
  promisify(execFile)(process.execPath, [path.join(projectFolder, 'main/cli/main.ts'), ...args], {
    env: data.environment,
  });

const started = (host: string, pid: number, start: number): string =>
  `${JSON.stringify({
    ...{ v: 1, seq: 0, time: Date.now() / 1000 - 60, kind: 'started', segment: 0, from_rows: 0, from_step: 0, host },
    ...{ boot_id: host === hostName() ? bootId() : 'other', pid, process_start: start, plan_sha256: '', trainer: 'x' },
    ...{ torch: 'x', device: { kind: 'cpu', name: 'x', memory_gib: 0 }, threads: 1, ranks: 1, rows: 20, steps: 10 },
    trainable: 1,
  })}\n`;

describe('stopping', () => {
  it('twice, from window and command line, leaves the checkpoint: the trainer is signalled once', async () => {
    const window = open();
    const made = madeRun(data.runs, 400);
    const { exited } = await start(made, 'slow:20,saving:600');
    await until(async () => ((await row(window, made.run.id))?.steps ?? 0) > 2);
    await Promise.all([1, 2, 3].map(() => window.ask('runs.stop', { run: made.run.id, kill: false })));
    expect(await row(window, made.run.id)).toMatchObject({ state: 'stopping' });
    await window.ask('runs.stop', { run: made.run.id, kill: false });
    await whetstone('stop', made.run.id);
    expect(await exited).toBe(0);
    await until(async () => (await row(window, made.run.id))?.state === 'stopped');
    expect(kinds(made.folder).slice(-2)).toEqual(['resume_state', 'stopped']);
    expect(await row(window, made.run.id)).toMatchObject({ canResume: true });
    expect(window.reports).toEqual([]);
  });

  it('at once still works while it stops', async () => {
    const window = open();
    const made = madeRun(data.runs, 400);
    const { exited } = await start(made, 'slow:20,saving:60000');
    await until(async () => ((await row(window, made.run.id))?.steps ?? 0) > 2);
    await window.ask('runs.stop', { run: made.run.id, kill: false });
    await window.ask('runs.stop', { run: made.run.id, kill: true });
    expect(await exited).toBe(128 + 9);
    await until(async () => (await row(window, made.run.id))?.state === 'stopped');
  });

  it('signals a resumed run again, whose first segment was stopped before', async () => {
    const window = open();
    const made = madeRun(data.runs, 400);
    await start(made, 'slow:20');
    await until(async () => ((await row(window, made.run.id))?.steps ?? 0) > 2);
    await window.ask('runs.stop', { run: made.run.id, kill: false });
    await until(async () => (await row(window, made.run.id))?.state === 'stopped');
    const run = readRunFile(made.folder) ?? made.run;
    const again = await startTrainer(made.folder, run, {
      ...{ resume: true, environment: data.environment, added: { WEBMIX_FAKE_TRAINER: 'slow:20' } },
    });
    await until(async () => (await row(window, made.run.id))?.state === 'running');
    await window.ask('runs.stop', { run: made.run.id, kill: false });
    expect(await again.exited).toBe(0);
    expect(kinds(made.folder).filter((kind) => kind === 'stopped')).toHaveLength(2);
  });

  it('does not keep the process of a closed window alive', async () => {
    const made = madeRun(data.runs, 400);
    const { pid } = await start(made, 'slow:20,saving:60000');
    const script = `
      import { createServices } from ${JSON.stringify(path.join(projectFolder, 'main/window/services.ts'))};
      const services = createServices({ host: { carrier: 'serve' } });
      const { runs } = await services.handlers['runs.list']({});
      await services.handlers['runs.stop']({ run: runs[0].id, kill: false });
      await services.close();
    `;
    await until(() => existsSync(eventsFile(made.folder)));
    try {
      await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
        env: data.environment,
        timeout: 15_000,
      });
      expect(existsSync(stopFile(made.folder))).toBe(true);
      // It goes on to its end by itself.
      expect(processStart(pid)).toBeDefined();
    } finally {
      process.kill(pid, 'SIGKILL');
    }
  });

  it('is refused for a run of another host, which is never lost', async () => {
    const window = open();
    const made = madeRun(data.runs, 10);
    appendFileSync(eventsFile(made.folder), started('other-host', 1, 1));
    await until(async () => (await row(window, made.run.id))?.state === 'running');
    expect(await row(window, made.run.id)).toMatchObject({ elsewhere: true, host: 'other-host', canResume: false });
    const fault = await window.refused('runs.stop', { run: made.run.id, kill: true });
    expect(fault).toMatchObject({ code: 'stop-elsewhere', hint: expect.stringContaining('whetstone stop') });
    expect(fault.message).toContain('other-host');
    expect((await window.refused('runs.resume', { run: made.run.id })).code).toBe('run-at-work');
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect((await row(window, made.run.id))?.state).toBe('running');
    expect(existsSync(stopFile(made.folder))).toBe(false);
  });

  it('does not touch another program that got the number of a process that is gone', async () => {
    const window = open();
    const made = madeRun(data.runs, 10);
    // Our own number, another start.
    appendFileSync(eventsFile(made.folder), started(hostName(), process.pid, 1));
    await until(async () => (await row(window, made.run.id))?.state === 'lost');
    expect(await window.ask('runs.stop', { run: made.run.id, kill: true })).toBeNull();
    expect((await row(window, made.run.id))?.state).toBe('lost');
  });
});

describe('resuming', () => {
  async function stopped(window: OpenedWindow): Promise<ReturnType<typeof madeRun>> {
    const made = madeRun(data.runs, 400);
    await start(made, 'slow:20');
    await until(async () => ((await row(window, made.run.id))?.steps ?? 0) > 2);
    await window.ask('runs.stop', { run: made.run.id, kill: false });
    await until(async () => (await row(window, made.run.id))?.state === 'stopped');
    return made;
  }

  it('twice at once starts one process, and is refused while that is at work', async () => {
    data.environment['WEBMIX_FAKE_TRAINER'] = 'slow:20';
    const window = open();
    const made = await stopped(window);
    const [one, other] = await Promise.all([1, 2].map(() => window.ask('runs.resume', { run: made.run.id })));
    expect(one).toEqual(other);
    expect(readRunFile(made.folder)?.launches).toHaveLength(2);
    expect(kinds(made.folder).filter((kind) => kind === 'started')).toHaveLength(2);
    expect((await window.refused('runs.resume', { run: made.run.id })).code).toBe('run-at-work');
    expect(readRunFile(made.folder)?.launches).toHaveLength(2);
  });

  it('from a window and several commands at once starts one process', async () => {
    data.environment['WEBMIX_FAKE_TRAINER'] = 'slow:20';
    const window = open();
    const made = await stopped(window);
    const run = readRunFile(made.folder) ?? made.run;
    const outcomes = await Promise.allSettled([
      window.ask('runs.resume', { run: made.run.id }),
      ...[1, 2, 3].map(() => startTrainer(made.folder, run, { resume: true, environment: data.environment })),
    ]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(readRunFile(made.folder)?.launches).toHaveLength(2);
    await until(() => kinds(made.folder).filter((kind) => kind === 'started').length === 2);
    expect(existsSync(startLockFile(made.folder))).toBe(false);
  });

  it('goes on where a start was ended in the middle', async () => {
    const window = open();
    const made = await stopped(window);
    const gone = { host: hostName(), bootId: bootId(), pid: process.pid, processStart: 1 };
    writeFileSync(startLockFile(made.folder), JSON.stringify(gone));
    await window.ask('runs.resume', { run: made.run.id });
    writeFileSync(startLockFile(made.folder), JSON.stringify({ ...gone, processStart: processStart(process.pid) }));
    expect(
      await startTrainer(made.folder, readRunFile(made.folder) ?? made.run, { environment: data.environment }).catch(
        (error: unknown) => error,
      ),
    ).toMatchObject({ code: 'run-starting' });
    expect(readdirSync(made.folder)).toContain('start.lock');
  });
});
