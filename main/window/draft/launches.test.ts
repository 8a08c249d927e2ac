/** Launches that meet: into one folder at once, cancelled at every stage, on a disk that is full. None may leave a run that nobody sees, or two in one folder. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DraftRequest } from '../../contract/window/draft.ts';
import { projectFolder } from '../../paths.ts';
import { readRunFlags } from '../../trainer/run-flags.ts';
import { readStatus } from '../../trainer/status.ts';
import { openWindow, testData, until, type OpenedWindow, type TestData } from '../testing/opened-window.ts';
import { splitCommands } from './shell-commands.ts';

let data: TestData;
let window: OpenedWindow;
let demo: DraftRequest;
beforeEach(async () => {
  data = testData();
  window = openWindow(data.environment);
  demo = await window.ask('draft.demo', {});
});
afterEach(async () => {
  await window.services.close();
  expect(window.reports).toEqual([]);
  data.remove();
});

const runFolders = (): string[] => (existsSync(data.runs) ? readdirSync(data.runs) : []);
const launch = (changes: Partial<DraftRequest>, job = 'l') =>
  window.ask('draft.launch', { job, request: { ...demo, ...changes } });
const whetstone = (...args: string[]) =>
  promisify(execFile)(process.execPath, [path.join(projectFolder, 'main/cli/main.ts'), ...args], {
    env: data.environment,
  });

describe('launches into one folder at once', () => {
  it('from one window make one run', async () => {
    data.environment['WEBMIX_FAKE_TRAINER'] = 'slow:20';
    const output = path.join(data.folder, 'adapter');
    const outcomes = await Promise.allSettled([1, 2, 3].map((at) => launch({ output }, `job ${at}`)));
    const made = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(made).toHaveLength(1);
    for (const each of outcomes)
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'output-in-use' });
    expect(runFolders()).toEqual([made[0]?.run]);
    await window.ask('runs.stop', { run: made[0]?.run ?? '', kill: true });
  });

  it('from a window and the command line never make two', async () => {
    data.environment['WEBMIX_FAKE_TRAINER'] = 'slow:20';
    const output = path.join(data.folder, 'adapter');
    // Its own command, as the window shows it, given at the same time.
    const { command } = await window.ask('draft.check', { request: { ...demo, output } });
    const line = command.map(({ text }) => text).join(' ');
    const words = splitCommands(line).commands[0]?.words.slice(1) ?? [];
    const outcomes = await Promise.allSettled([launch({ output }), whetstone(...words, '--detach')]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1);
    const atWork = runFolders().filter((id) => readStatus(path.join(data.runs, id)).state === 'running');
    expect(atWork.length).toBeLessThanOrEqual(1);
    // The window finds a run of the command line within a second.
    const listed = async (): Promise<string[]> => (await window.ask('runs.list', {})).runs.map(({ id }) => id);
    await until(async () => (await listed()).length >= runFolders().length);
    for (const id of runFolders()) await window.ask('runs.stop', { run: id, kill: true });
  });
});

describe('a launch that is cancelled', () => {
  it.each(['reading rows', 'encoding'])('while %s leaves nothing', async (stage) => {
    const asked = window.refused('draft.launch', { job: 'l', request: demo });
    await until(() => window.pushes.some(({ payload }) => (payload as { stage?: string }).stage === stage));
    expect(await window.ask('job.cancel', { job: 'l' })).toEqual({ cancelled: true });
    expect((await asked).code).toBe('cancelled');
    expect(runFolders()).toEqual([]);
    expect((await window.ask('runs.list', {})).runs).toEqual([]);
  });

  it('while it starts is answered with its run, which is listed', async () => {
    data.environment['WEBMIX_FAKE_TRAINER'] = 'slow:20';
    const asked = launch({});
    await until(() =>
      window.pushes.some(({ payload }) => (payload as { stage?: string }).stage === 'starting the trainer'),
    );
    await window.ask('job.cancel', { job: 'l' });
    const { run } = await asked;
    await until(async () => (await window.ask('runs.list', {})).runs.some(({ id }) => id === run));
    await window.ask('runs.stop', { run, kill: true });
  });
});

describe('a launched run', () => {
  it('has a command that reads back to the request, and settings with their defaults', async () => {
    const output = path.join(data.folder, "it's an adapter");
    const { run } = await launch({ output, name: 'with "quotes" and $HOME' });
    await until(async () => (await window.ask('runs.list', {})).runs[0]?.state === 'finished');
    const detail = await window.ask('runs.get', { run });
    const words = splitCommands(detail.command ?? '').commands[0]?.words ?? [];
    expect(words.slice(0, 2)).toEqual(['whetstone', 'run']);
    const { request } = readRunFlags(words.slice(2), { environment: data.environment });
    const defaults = new Map(
      (await window.ask('draft.recipes', {}))[0]?.settings.map((each) => [each.name, each.default]),
    );
    const whole = (settings: Record<string, unknown>) => ({ ...Object.fromEntries(defaults), ...settings });
    expect({ ...request, settings: whole(request.settings) }).toEqual({
      ...demo,
      ...{ output, name: 'with "quotes" and $HOME', settings: whole(demo.settings) },
    });
    const lr = detail.settings.find(({ name }) => name === 'lr');
    expect(lr).toMatchObject({ flag: '--lr', default: expect.any(String), differs: expect.any(Boolean) });
    // And pasted, it fills the form with the same.
    const pasted = await window.ask('draft.paste', { text: detail.command ?? '' });
    expect({ ...pasted.request, settings: whole(pasted.request.settings) }).toEqual({
      ...demo,
      ...{ output, name: 'with "quotes" and $HOME', settings: whole(demo.settings) },
    });
  });
});
