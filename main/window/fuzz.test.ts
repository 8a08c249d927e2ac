/** Whatever a window sends is answered or refused with a reason: never a bug of ours, never the end of the process. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestNames, type RequestName } from '../contract/window/names.ts';
import { projectFolder } from '../paths.ts';
import { recipes } from '../recipes/index.ts';
import { startTrainer } from '../trainer/spawn.ts';
import { madeRun } from '../trainer/testing/made-run.ts';
import { dispatch } from './dispatch.ts';
import { openWindow, testData, until, type OpenedWindow, type TestData } from './testing/opened-window.ts';

/** Repeatable pseudo-random numbers (mulberry32), so that a failure can be had again. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

let data: TestData;
let window: OpenedWindow;
let run: string;
let pool: string;
beforeAll(async () => {
  data = testData();
  const made = madeRun(data.runs, 6);
  await (
    await startTrainer(made.folder, made.run, { environment: data.environment })
  ).exited;
  run = made.run.id;
  mkdirSync(path.join(data.folder, 'no-rows', 'episode'), { recursive: true });
  writeFileSync(path.join(data.folder, 'no-rows', 'episode', 'rows.jsonl'), '{"a": 1}\nnonsense\n');
  writeFileSync(path.join(data.folder, 'a-file'), 'x');
  window = openWindow(data.environment);
  await until(async () => (await window.ask('runs.list', {})).runs.length === 1);
  const opened = await window.ask('rows.open', {
    job: 'j',
    which: { folders: [path.join(projectFolder, 'demo/rows')] },
  });
  pool = opened.pool;
}, 60_000);
afterAll(async () => {
  await window.services.close();
  data.remove();
});

/** What a request of that name looks like when it is right. */
function right(name: RequestName): Record<string, unknown> {
  const request = {
    ...{ recipe: 'webmix', settings: { lr: 1e-4, adapter: 'drag' }, model: path.join(projectFolder, 'demo/model') },
    ...{ processor: null, rowsFolders: [path.join(data.folder, 'no-rows')], output: path.join(data.folder, 'out') },
    ...{ name: null, allowBad: 0, ranks: 1, episodeIdsFile: null },
  };
  const row = { pool, episode: 'e', line: 1 };
  const page = {
    pool,
    filter: { text: '', families: [], variants: [], operations: [], episode: null },
    from: 0,
    count: 5,
  };
  const inputs: Record<RequestName, Record<string, unknown>> = {
    ...{ 'app.info': {}, 'app.retryHistory': {}, 'machine.check': {}, 'folders.list': { folder: '' } },
    ...{ 'folders.pick': { title: '', from: '' }, 'job.cancel': { job: 'j' }, 'runs.list': {}, 'runs.get': { run } },
    'runs.series': { runs: [run], metrics: ['lr', 'loss:ce'], x: 'rows', from: null, to: null, points: 100, ema: 0.9 },
    ...{
      'runs.log': { run, before: null, bytes: 1000 },
      'runs.rename': { run, name: 'n' },
      'runs.note': { run, note: 'n' },
    },
    ...{
      'runs.stop': { run, kill: true },
      'runs.resume': { run },
      'draft.recipes': {},
      'draft.models': {},
      'draft.demo': {},
    },
    ...{ 'draft.fromRun': { run }, 'draft.paste': { text: 'python x.py --lr 1' }, 'draft.check': { request } },
    ...{
      'draft.pool': { job: 'p', rowsFolders: request.rowsFolders },
      'draft.census': { job: 'c', request: { ...request, rowsFolders: [path.join(projectFolder, 'demo/rows')] } },
    },
    ...{ 'draft.try': { job: 't', request }, 'draft.launch': { job: 'l', request } },
    ...{ 'rows.pools': {}, 'rows.open': { job: 'o', which: { pool } }, 'rows.episodes': page, 'rows.list': page },
    ...{ 'rows.read': { ...row, model: null }, 'rows.image': { ...row, image: 0 } },
  };
  return inputs[name];
}

const names = [
  '__proto__',
  'constructor',
  'toString',
  'a',
  'lr',
  'families',
  'settings',
  'request',
  'adapter',
  'episodeIds',
];
const settingNames = recipes.webmix.settings.map(({ name }): string => name);
const texts = (): string[] => [
  ...[
    '',
    ' ',
    '.',
    '..',
    '/',
    '~',
    '~/x',
    '\0',
    'a\0b',
    '../../etc',
    '/dev/null',
    '/proc/self/mem',
    '/a\0b',
    '~/\0',
    '\ud800',
    '😀',
  ],
  ...['loss:__proto__', 'loss:ce', 'cuda:99', '$(x)', '`x`', "'", '"', '-1', 'NaN', 'owner/name', '@', 'a@b/c'],
  ...['x'.repeat(300), '/x'.repeat(2000), `/${'y'.repeat(260)}`, '%00', String.raw`C:\x`, 'final', run, pool],
  ...[data.folder, path.join(data.folder, 'a-file'), path.join(data.folder, 'a-file', 'x'), path.join(data.runs, run)],
];

function nonsense(next: () => number, depth = 0): unknown {
  const below = (limit: number): number => Math.floor(next() * limit);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  switch (below(depth > 3 ? 6 : 9)) {
    case 0:
      return null;
    case 1:
      return next() < 0.5;
    case 2:
      return pick([0, -1, 1, 0.5, 1e300, -1e300, 2 ** 53, 2 ** 31, Number.NaN, Number.POSITIVE_INFINITY, -0, 4000]);
    case 3:
    case 4:
      return pick(texts());
    case 5:
      return pick([new Uint8Array(3), new Float64Array(2), new Int32Array(0)]);
    case 6:
      return Array.from({ length: below(4) }, () => nonsense(next, depth + 1));
    case 7:
      return Array.from({ length: 70 }, () => pick(texts()));
    default:
      return JSON.parse(
        `{${[...new Set(Array.from({ length: below(4) }, () => pick(names)))]
          .map((key) => `${JSON.stringify(key)}: ${JSON.stringify(nonsense(next, depth + 1))}`)
          .join(', ')}}`,
      );
  }
}

/** Numbers and texts that fit where such a value stood, so that a request is taken and what is behind it has to cope. */
function alike(value: unknown, next: () => number): unknown {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  if (next() < 0.1) return nonsense(next);
  if (typeof value === 'string' || value === null) return pick(texts());
  if (typeof value === 'number') return pick([0, 1, 2, 16, 300, 1e6, 2 ** 31, 2 ** 40, Number.MAX_SAFE_INTEGER, 0.5]);
  return typeof value === 'boolean' ? !value : nonsense(next);
}

/** `value` with one place in it replaced by something alike, or by anything; settings and lists get new members too. */
function changed(value: unknown, next: () => number, key = ''): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return alike(value, next);
  if (next() < 0.03) return nonsense(next);
  if (Array.isArray(value)) {
    const at = Math.floor(next() * (value.length + (next() < 0.2 ? 1 : 0)));
    return [...value.slice(0, at), changed(value[at], next), ...value.slice(at + 1)];
  }
  const entries = Object.entries(value);
  if (key === 'settings' && next() < 0.8) {
    const name =
      next() < 0.8 ? settingNames[Math.floor(next() * settingNames.length)] : names[Math.floor(next() * names.length)];
    return Object.fromEntries([...entries, [name ?? 'a', nonsense(next)]]);
  }
  const at = Math.floor(next() * (entries.length + (next() < 0.03 ? 1 : 0)));
  const [own, old] = entries[at] ?? [names[Math.floor(next() * names.length)] ?? 'a', undefined];
  return Object.fromEntries([...entries.filter(([other]) => other !== own), [own, changed(old, next, own)]]);
}

/** These read rows or start processes: fewer of them are enough. */
const slow = new Set<RequestName>([
  'machine.check',
  'draft.pool',
  'draft.census',
  'draft.try',
  'draft.launch',
  'draft.models',
]);

describe('nonsense', () => {
  it.each(requestNames)(
    '%s',
    async (name) => {
      const next = random(name.length * 7919 + name.charCodeAt(name.length - 1));
      const rounds = slow.has(name) ? 100 : 1000;
      const codes = new Map<string, number>();
      for (let round = 0; round < rounds; round++) {
        let input: unknown = round % 5 === 0 ? nonsense(next) : right(name);
        for (let change = 0; change <= round % 3; change++) input = changed(input, next);
        const reply = await dispatch(window.services, name, input);
        const code = reply.ok ? 'ok' : reply.error.code;
        codes.set(code, (codes.get(code) ?? 0) + 1);
        if (code === 'internal')
          throw new Error(`${name} ${JSON.stringify(input).slice(0, 600)}`, { cause: window.reports.at(-1) });
        if (!reply.ok && code !== 'bad-request')
          expect(reply.error.message).not.toMatch(/undefined|\[object|TypeError|ERR_/);
      }
      // Were all of them refused for their shape, nothing behind that would have been tried.
      if (Object.keys(right(name)).length > 0)
        expect(rounds - (codes.get('bad-request') ?? 0)).toBeGreaterThan(rounds / 25);
      expect(window.reports).toEqual([]);
      expect(await window.ask('app.info', {})).toMatchObject({ historyProblem: null });
    },
    120_000,
  );

  it('leaves everything as it was', async () => {
    expect((await window.ask('runs.list', {})).faults).toEqual([]);
    expect(Object.prototype).not.toHaveProperty('a');
    expect(
      (
        await window.ask('runs.series', {
          runs: [run],
          metrics: ['loss:ce'],
          x: 'rows',
          from: null,
          to: null,
          points: 16,
          ema: 0,
        })
      ).series[0]?.steps,
    ).toBe(6);
  });
});
