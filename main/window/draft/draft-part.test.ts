/** The draft service as the window asks it: the demo's rows and model, the thread that prepares, and the fake trainer. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DraftProblem, DraftRequest } from '../../contract/window/draft.ts';
import { makeRow, writeEpisode } from '../../datasets/testing/pool-fixture.ts';
import { readPlan } from '../../plan/write-plan.ts';
import { parseWebmixSettings } from '../../recipes/webmix/settings.ts';
import { fakeTrainer } from '../../trainer/testing/made-run.ts';
import { readRunFile, runFile } from '../../trainer/run-folder.ts';
import { readStatus } from '../../trainer/status.ts';
import { Jobs } from '../jobs.ts';
import { draftPart, recipeForms } from './draft-part.ts';
import { draftOfPlan } from './from-run.ts';

const project = path.resolve(import.meta.dirname, '../../..');
let scratch: string;
let environment: Record<string, string | undefined>;
let jobs: Jobs;
let part: ReturnType<typeof draftPart>;
let demo: DraftRequest;
const stages: string[] = [];

/** Nothing is listed here. */
const keeper = { look: () => Promise.resolve() };

beforeAll(async () => {
  scratch = mkdtempSync(path.join(os.tmpdir(), 'whetstone-draft-'));
  environment = {
    ...process.env,
    WHETSTONE_DATA: path.join(scratch, 'data'),
    WHETSTONE_TRAINER: fakeTrainer(scratch),
    HF_HUB_CACHE: path.join(scratch, 'hub'),
    WEBMIX_BASE_MODEL: undefined,
  };
  jobs = new Jobs((name, payload) => {
    if (name === 'job.progress') stages.push((payload as { stage: string }).stage);
  });
  part = draftPart({ environment, jobs, keeper });
  demo = await part.handlers['draft.demo']({});
});
afterAll(async () => {
  await part.close?.();
  rmSync(scratch, { recursive: true, force: true });
});

const check = (changes: Partial<DraftRequest> = {}) =>
  Promise.resolve(part.handlers['draft.check']({ request: { ...demo, ...changes } }));
const found = async (changes: Partial<DraftRequest>): Promise<string[]> =>
  (await check(changes)).problems
    .filter(({ severity }) => severity !== 'info')
    .map(({ field, code }: DraftProblem) => `${field} ${code}`);
const census = (changes: Partial<DraftRequest> = {}) =>
  Promise.resolve(part.handlers['draft.census']({ job: 'census', request: { ...demo, ...changes } }));
const launch = (changes: Partial<DraftRequest> = {}, of = part) =>
  Promise.resolve(of.handlers['draft.launch']({ job: 'launch', request: { ...demo, ...changes } }));
const runFolders = (): string[] => {
  const folder = path.join(scratch, 'data/runs');
  return existsSync(folder) ? readdirSync(folder) : [];
};
const until = async (holds: () => boolean): Promise<void> => {
  for (let tries = 0; !holds(); tries += 1) {
    if (tries > 500) throw new Error('waited for too long');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

describe('the form', () => {
  it('has every setting in one section, and says the presets', () => {
    const [form] = recipeForms();
    expect(form?.groups.flatMap(({ settings }) => settings).toSorted()).toEqual(
      form?.settings.map(({ name }) => name).toSorted(),
    );
    expect(form?.presets['drag']).toEqual(['Drag & gesture']);
    // It crosses to the window as it is.
    expect(JSON.parse(JSON.stringify(form))).toEqual(form);
  });

  it('offers the demo, with nothing wrong', async () => {
    expect(demo).toMatchObject({ settings: { adapter: 'rest', maxSteps: 200 }, output: null, name: null });
    const { problems, name, output, model, command } = await check();
    expect(problems.filter(({ severity }) => severity !== 'info')).toEqual([]);
    expect(name).toMatch(/^rest-\d{4}-\d{4}$/);
    expect(output).toBe(path.join(scratch, 'data/adapters', name));
    expect(model).toMatchObject({ path: path.join(project, 'demo/model'), bytes: 7_630_280 });
    expect(command.filter(({ isDefault }) => !isDefault).map(({ text }) => text)).toContain('--adapter rest');
  });

  it('lists the models of the cache, and why one cannot be trained', async () => {
    const snapshot = path.join(scratch, 'hub/models--Lab--Small/snapshots/abc123');
    mkdirSync(path.dirname(snapshot), { recursive: true });
    symlinkSync(path.join(project, 'demo/model'), snapshot);
    mkdirSync(path.join(scratch, 'hub/models--Lab--Small/refs'));
    writeFileSync(path.join(scratch, 'hub/models--Lab--Small/refs/main'), 'abc123');
    const other = path.join(scratch, 'hub/models--Lab--Other/snapshots/def456');
    mkdirSync(other, { recursive: true });
    writeFileSync(path.join(other, 'config.json'), '{"model_type": "llama", "architectures": ["LlamaForCausalLM"]}');
    const models = await part.handlers['draft.models']({});
    expect(models).toMatchObject([
      { id: path.join(project, 'demo/model'), problem: null },
      { id: 'Lab/Small', revision: 'abc123', bytes: 7_630_280, problem: null },
      { id: 'Lab/Other', architecture: 'LlamaForCausalLM', problem: expect.stringContaining('does not know') },
    ]);
    expect(await found({ model: 'Lab/Small' })).toEqual([]);
    expect(await found({ model: 'Lab/Other' })).toEqual(['model model-unknown']);
    expect(await found({ model: 'Lab/None' })).toEqual(['model no-such-model']);
  });
});

describe('check', () => {
  it('finds everything at once', async () => {
    expect(
      await found({
        settings: { adapter: 'rest', lr: -1, gradAccum: 8, device: 'cuda:0' },
        model: 'relative/path/model',
        rowsFolders: ['rows', path.join(scratch, 'none'), path.join(project, 'demo/rows/chain-001')],
        ranks: 3,
      }),
    ).toEqual([
      'model relative-path',
      'rowsFolders relative-path',
      'lr bad-setting',
      'gradAccum batch-differs',
      'ranks ranks-unsupported',
      'device no-such-device',
    ]);
    expect(
      await found({
        rowsFolders: [
          path.join(scratch, 'none'),
          path.join(project, 'demo/rows/chain-001'),
          path.join(project, 'demo/rows'),
          path.join(project, 'demo/../demo/rows'),
          path.join(project, 'demo/flags.json'),
          path.join(project, 'demo/model'),
        ],
      }),
    ).toEqual([
      'rowsFolders rows-folder-missing',
      'rowsFolders rows-folder-is-episode',
      'rowsFolders rows-folder-twice',
      'rowsFolders rows-not-a-folder',
      'rowsFolders no-episodes',
    ]);
    expect(await found({ rowsFolders: [], model: '' })).toEqual(['model no-model', 'rowsFolders no-rows-folder']);
  });

  it('takes ~ for the home folder', async () => {
    const { problems, output } = await check({ output: '~/whetstone-test-output-that-is-not-there' });
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(output).toBe(path.join(os.homedir(), 'whetstone-test-output-that-is-not-there'));
  });

  it('knows an output folder that holds a run, and the next free one', async () => {
    const output = path.join(scratch, 'taken');
    mkdirSync(output);
    writeFileSync(path.join(output, 'adapter_config.json'), '{}');
    const [problem] = (await check({ output })).problems.filter(({ field }) => field === 'output');
    expect(problem).toMatchObject({
      code: 'output-holds-run',
      repair: { label: 'Use taken-2', request: { output: `${output}-2` } },
    });
  });

  it('keeps a name that would lead elsewhere in the data folder', async () => {
    const { output } = await check({ name: '../../etc/x' });
    expect(output).toBe(path.join(scratch, 'data/adapters/-..-etc-x'));
  });

  it('says that the trainer is not built', async () => {
    const bare = draftPart({ environment: { ...environment, WHETSTONE_TRAINER: '/nowhere/trainer' }, jobs, keeper });
    const { problems } = await bare.handlers['draft.check']({ request: demo });
    expect(problems).toContainEqual(expect.objectContaining({ field: 'device', code: 'no-trainer' }));
    await expect(bare.handlers['draft.try']({ job: 'x', request: demo })).rejects.toMatchObject({ code: 'no-trainer' });
    await bare.close?.();
  });
});

describe('pool and census', () => {
  it('count what the folders hold', async () => {
    stages.length = 0;
    const facts = await part.handlers['draft.pool']({ job: 'pool', rowsFolders: demo.rowsFolders });
    expect(facts).toMatchObject({ episodes: 60, rows: 179, badCount: 0, bad: [] });
    const sum = (parts: { rows: number }[]): number => parts.reduce((total, { rows }) => total + rows, 0);
    expect([sum(facts.families), sum(facts.variants)]).toEqual([179, 179]);
    expect(facts.variants.map(({ name }) => name)).toEqual(['plain', 'chain', 'recovery']);
    expect(facts.images).toBeGreaterThan(150);
    expect(stages).toContain('reading rows');
  });

  it('count what would be trained, and tell runs that train the same', async () => {
    const one = await census();
    expect(one.census).toMatchObject({ visits: 200, effectiveBatch: 4 });
    // What the trainer itself says in its `started` event for this model and rank 16.
    expect(one.trainable).toBe(278_528);
    const hashes = async (settings: Record<string, unknown>): Promise<[boolean, boolean]> => {
      const other = await census({ settings: { ...demo.settings, ...settings } });
      return [other.rowSetHash === one.rowSetHash, other.maskHash === one.maskHash];
    };
    expect(await hashes({ lr: 1e-5, rank: 8 })).toEqual([true, true]);
    expect(await hashes({ ceOn: 'action' })).toEqual([true, false]);
    expect(await hashes({ seed: 1 })).toEqual([false, false]);
    expect((await census({ settings: { ...demo.settings, rank: 8 } })).trainable).toBe(278_528 / 2);
  });

  it('go on without bad rows only where that is wished', async () => {
    const rows = path.join(scratch, 'rows');
    cpSync(path.join(project, 'demo/rows'), rows, { recursive: true });
    writeEpisode(rows, 'zz-broken', ['{"task_id": ', makeRow({ task_id: 'zz-broken' })]);
    const facts = await part.handlers['draft.pool']({ job: 'pool', rowsFolders: [rows] });
    expect(facts.bad).toMatchObject([{ file: path.join(rows, 'zz-broken/rows.jsonl'), line: 1, code: 'row-json' }]);
    await expect(census({ rowsFolders: [rows] })).rejects.toMatchObject({ code: 'row-json' });
    expect((await census({ rowsFolders: [rows], allowBad: 1 })).badRows).toMatchObject({
      ...{ allowed: 1, found: 1 },
      rows: [{ line: 1 }],
    });
  });

  it('read an episode list from its file', async () => {
    const file = path.join(scratch, 'ids.txt');
    writeFileSync(file, 'sign-in-001 sign-in-002\nsearch-box-001\n');
    const listed = (await census({ episodeIdsFile: file })).census;
    expect(listed.ceRows).toBeGreaterThan(0);
    expect(listed.ceRows).toBeLessThan((await census()).census.ceRows);
    expect(await found({ episodeIdsFile: path.join(scratch, 'none.txt') })).toEqual(['episodeIdsFile file-enoent']);
    expect(await found({ episodeIdsFile: file, settings: { ...demo.settings, episodeIds: ['x'] } })).toEqual([
      'episodeIdsFile episode-list-changed',
    ]);
  });

  it('are cancelled in the middle', async () => {
    const fresh = draftPart({
      environment: { ...environment, WHETSTONE_DATA: path.join(scratch, 'fresh') },
      jobs,
      keeper,
    });
    for (const stage of ['reading rows', 'encoding']) {
      stages.length = 0;
      const asked = Promise.resolve(fresh.handlers['draft.census']({ job: 'cancelled', request: demo }));
      const refused = expect(asked).rejects.toMatchObject({ code: 'cancelled' });
      await until(() => stages.includes(stage));
      expect(jobs.cancel('cancelled')).toBe(true);
      await refused;
    }
    await fresh.close?.();
  });
});

describe('launch', () => {
  it('makes and starts a run that can be made again', async () => {
    const { run, name, folder } = await launch();
    expect(readRunFile(folder)).toMatchObject({ id: run, name, createdBy: 'window', request: { ...demo } });
    await until(() => readStatus(folder).state === 'finished');
    expect(part.handlers['draft.fromRun']({ run })).toEqual(demo);
    // A run of an older version, from its plan alone.
    const { plan } = readPlan(folder);
    const again = draftOfPlan(plan, environment);
    expect(parseWebmixSettings(again.settings)).toEqual(parseWebmixSettings(demo.settings));
    expect({ ...again, settings: null }).toEqual({ ...demo, settings: null });
    const older = JSON.parse(readFileSync(runFile(folder), 'utf8')) as Record<string, unknown>;
    delete older['request'];
    writeFileSync(runFile(folder), JSON.stringify(older));
    expect(part.handlers['draft.fromRun']({ run })).toEqual(again);
    // The next one of the same minute gets a folder of its own.
    const next = await check();
    expect(next.output).not.toBe(path.join(scratch, 'data/adapters', name));
  });

  it('of a trainer that fails with a word is a failed run', async () => {
    const failing = draftPart({ environment: { ...environment, WEBMIX_FAKE_TRAINER: 'fail:0' }, jobs, keeper });
    const { folder } = await launch({}, failing);
    await until(() => readStatus(folder).state === 'failed');
    await failing.close?.();
  });

  it('of a trainer that ends without a word is none, and its log is shown', async () => {
    const before = runFolders();
    const mute = draftPart({ environment: { ...environment, WEBMIX_FAKE_TRAINER: 'mute' }, jobs, keeper });
    await expect(launch({}, mute)).rejects.toMatchObject({
      code: 'trainer-ended',
      message: expect.stringContaining('libcuda.so.1: cannot open shared object file'),
    });
    expect(runFolders()).toEqual(before);
    await mute.close?.();
  });

  it('refuses what check refuses, before anything is made', async () => {
    const before = runFolders();
    await expect(launch({ rowsFolders: ['rows'] })).rejects.toMatchObject({ code: 'relative-path' });
    await expect(launch({ ranks: 2 })).rejects.toMatchObject({ code: 'ranks-unsupported' });
    await expect(launch({ settings: {} })).rejects.toMatchObject({ code: 'bad-setting' });
    expect(() => part.handlers['draft.fromRun']({ run: '../x' })).toThrow(
      expect.objectContaining({ code: 'no-such-run' }),
    );
    expect(runFolders()).toEqual(before);
  });
});
