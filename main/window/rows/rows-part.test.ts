import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import type { Pushes } from '../../contract/window/pushes.ts';
import { emptyFilter, type OpenPool, type RowDetail } from '../../contract/window/rows.ts';
import { makePng, makeRow, settle, userMessage, writeEpisode } from '../../datasets/testing/pool-fixture.ts';
import { projectFolder } from '../../paths.ts';
import { Jobs } from '../jobs.ts';
import { rowsPart } from './rows-part.ts';

const demoRows = path.join(projectFolder, 'demo', 'rows');
const demoModel = path.join(projectFolder, 'demo', 'model');
let root: string;
const parts: { close?: () => Promise<void> | void }[] = [];
const reported: unknown[] = [];
const pushed: Pushes['job.progress'][] = [];

function makePart(data = path.join(root, 'data')) {
  const jobs = new Jobs((name, payload) => name === 'job.progress' && pushed.push(payload as Pushes['job.progress']));
  const part = rowsPart({
    environment: { WHETSTONE_DATA: data },
    jobs,
    report: (error) => reported.push(error),
  });
  parts.push(part);
  return { ...part.handlers, jobs };
}

const codeOf = (promise: unknown) =>
  Promise.resolve(promise).then(
    () => 'no error',
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );

beforeAll(() => {
  root = mkdtempSync(path.join(os.tmpdir(), 'whetstone-rows-'));
});
afterAll(async () => {
  for (const part of parts) await part.close?.();
  rmSync(root, { recursive: true, force: true });
});

describe('the demo', () => {
  let rows: ReturnType<typeof makePart>;
  let pool: OpenPool;
  const read = (episode: string, line: number, model: string | null = demoModel, filter = emptyFilter) =>
    rows['rows.read']({ pool: pool.pool, episode, line, model, filter });

  beforeAll(async () => {
    rows = makePart();
    pool = await rows['rows.open']({ job: 'one', which: { folders: [demoRows] } });
  });

  test('is opened with its counts and progress', () => {
    expect(pool).toMatchObject({ folders: [demoRows], rows: 179, badCount: 0, bad: [] });
    const sum = (counts: { rows: number }[]) => counts.reduce((total, { rows: of }) => total + of, 0);
    expect([pool.families, pool.variants, pool.operations].map(sum)).toEqual([179, 179, 179]);
    expect(pool.families).toHaveLength(7);
    expect(pool.leftOut.inject).toBeGreaterThan(0);
    expect(pushed.at(-1)).toMatchObject({ job: 'one', stage: 'reading rows', done: pool.episodes, of: pool.episodes });
  });

  test('its address outlives the process', async () => {
    const later = makePart();
    expect((await later['rows.pools']({}))[0]).toMatchObject({ pool: pool.pool, folders: [demoRows] });
    const page = await later['rows.list']({ pool: pool.pool, filter: emptyFilter, from: 0, count: 2 });
    expect(page).toMatchObject({ total: 179, items: [{ episode: 'article-fact-001', line: 1 }, {}] });
    const again = await later['rows.open']({ job: 'two', which: { pool: pool.pool } });
    expect(again).toMatchObject({ pool: pool.pool, rows: 179 });
  });

  test('is listed by filter and page', async () => {
    const filter = { ...emptyFilter, families: ['Drag & gesture'], text: 'SLIDER map'.toLowerCase() };
    const all = await rows['rows.list']({ pool: pool.pool, filter, from: 0, count: 500 });
    expect(all.total).toBe(all.items.length);
    expect(new Set(all.items.map(({ family }) => family))).toEqual(new Set(['Drag & gesture']));
    expect(all.items.every(({ episode }) => episode.startsWith('map-slider'))).toBe(true);
    const part = await rows['rows.list']({ pool: pool.pool, filter, from: 2, count: 3 });
    expect(part).toEqual({ total: all.total, from: 2, items: all.items.slice(2, 5) });
    const episodes = await rows['rows.episodes']({ pool: pool.pool, filter, from: 0, count: 100 });
    expect(episodes.items.reduce((sum, { rows: of }) => sum + of, 0)).toBe(all.total);
    expect(
      (await rows['rows.list']({ pool: pool.pool, filter: { ...filter, text: 'SLIDER' }, from: 0, count: 1 })).total,
    ).toBe(0);
    const recoveries = await rows['rows.list']({
      pool: pool.pool,
      filter: { ...emptyFilter, variants: ['recovery'], operations: ['done'] },
      from: 0,
      count: 100,
    });
    expect(recoveries.items.every(({ taskId, operation }) => taskId.endsWith('~rec') && operation === 'done')).toBe(
      true,
    );
    expect(recoveries.total).toBeGreaterThan(0);
  });

  test('neighbours are those of the filter', async () => {
    const first = await read('map-slider-001', 2);
    expect(first).toMatchObject({
      previous: { episode: 'map-slider-001', line: 1 },
      next: { episode: 'map-slider-001', line: 3 },
      place: { of: 179 },
    });
    const drags = { ...emptyFilter, operations: ['drag'], episode: 'map-slider-001' };
    expect(await read('map-slider-001', 2, null, drags)).toMatchObject({
      previous: { episode: 'map-slider-001', line: 1 },
      next: null,
      place: { at: null, of: 1 },
    });
    expect(await read('map-slider-001', 1, null, drags)).toMatchObject({
      previous: null,
      next: null,
      place: { at: 0, of: 1 },
    });
  });

  test('a row has its prompt in sections, its mark, its image and its tokens', async () => {
    const row = await read('map-slider-001', 1);
    expect(row.file).toBe(`${path.join(demoRows, 'map-slider-001', 'rows.jsonl')}:1`);
    expect(row.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(
      row.messages[1]?.parts.flatMap((part): (string | number | null)[] =>
        part.kind === 'image' ? [part.image] : part.sections.map(({ name }) => name),
      ),
    ).toEqual(['user_request', 'agent_history', 'agent_state', 'browser_state', 'step_info', null, 0]);
    expect(row.marks).toEqual([{ kind: 'arrow', name: 'drag', from: [108, 717], to: [125, 772], label: 'drag' }]);
    expect(row.images).toMatchObject([{ name: 'step-00.png', tokens: expect.any(Number) }]);
    expect(row.fault).toBeNull();
    const image = await rows['rows.image']({ pool: pool.pool, episode: 'map-slider-001', line: 1, image: 0 });
    expect(image.type).toBe('image/png');
    expect(Buffer.from(image.bytes).equals(readFileSync(path.join(demoRows, 'map-slider-001', 'step-00.png')))).toBe(
      true,
    );
    expect(await codeOf(rows['rows.image']({ pool: pool.pool, episode: 'map-slider-001', line: 1, image: 1 }))).toBe(
      'no-such-image',
    );
    expect(await codeOf(read('map-slider-001', 99))).toBe('no-such-row');
  });

  test('a JPEG is told from its bytes', async () => {
    let found = 0;
    for (const { episode, line, images } of (
      await rows['rows.list']({ pool: pool.pool, filter: emptyFilter, from: 0, count: 500 })
    ).items) {
      if (images === 0 || !episode.endsWith('1')) continue;
      const { images: shown } = await read(episode, line, null);
      const { type } = await rows['rows.image']({ pool: pool.pool, episode, line, image: 0 });
      if (/\.jpe?g$/.test(shown[0]?.name ?? '')) found++;
      expect(type).toBe(/\.jpe?g$/.test(shown[0]?.name ?? '') ? 'image/jpeg' : 'image/png');
    }
    expect(found).toBeGreaterThan(0);
  });

  test('the tokens of every row join to its target, and their masks and places agree', async () => {
    const fallbacks: string[] = [];
    for (const { episode, line } of (
      await rows['rows.list']({ pool: pool.pool, filter: emptyFilter, from: 0, count: 500 })
    ).items) {
      const row = await read(episode, line);
      const tokens = row.tokens!;
      const first = tokens.supervised.indexOf(1);
      expect([...tokens.supervised.slice(first)].every((each) => each === 1)).toBe(true);
      expect(tokens.texts.join('').endsWith(`${row.target}<|im_end|>`)).toBe(true);
      expect(tokens.texts[0]).toBe('<|im_start|>');
      const target = Array.from(row.target);
      for (let at = first; at < tokens.ids.length - 1; at++) {
        const place = target.slice(tokens.starts[at], tokens.ends[at]).join('');
        expect(place.endsWith(tokens.texts[at]!) || tokens.texts[at]!.endsWith(place)).toBe(true);
      }
      expect([...tokens.starts.slice(0, first), tokens.starts.at(-1)].every((each) => each === -1)).toBe(true);
      if (row.fallback) {
        fallbacks.push(row.fallback.reason);
        expect([...tokens.action.slice(first)].every((each) => each === 1)).toBe(true);
        continue;
      }
      const action = tokens.action.indexOf(1);
      expect(tokens.ends[action]).toBeGreaterThan(
        Array.from(row.target.slice(0, row.target.indexOf('"action"'))).length,
      );
      expect(tokens.ends[action - 1]).toBeLessThanOrEqual(
        Array.from(row.target.slice(0, row.target.indexOf('"action"'))).length,
      );
    }
    expect(fallbacks.sort()).toEqual(['length-differs', 'no-action']);
  });

  test('without a usable model the row is shown, with what to do', async () => {
    expect(await read('map-slider-001', 1, null)).toMatchObject({
      tokens: null,
      model: null,
      fault: { code: 'no-model' },
    });
    const missing = await read('map-slider-001', 1, '/nowhere/model');
    expect(missing).toMatchObject({
      tokens: null,
      model: '/nowhere/model',
      fault: { code: 'no-such-model' },
      images: [{ tokens: null }],
    });
    expect(missing.fault?.hint).toBeTruthy();
    expect(await read('map-slider-001', 1, demoRows)).toMatchObject({
      tokens: null,
      fault: { code: expect.any(String) },
    });
  });
});

describe('pools of one’s own', () => {
  const image = makePng(64, 48);
  const make = (name: string) => {
    const folder = path.join(root, name);
    writeEpisode(folder, 'ep', [makeRow({ messages: userMessage('Look', 'a.png') }), makeRow({ op: 'click' })], {
      'a.png': image,
    });
    return folder;
  };

  test('a row and an image that were changed are refused, and read again when asked', async () => {
    const folder = make('changing');
    const rows = makePart();
    const { pool } = await rows['rows.open']({ job: 'j', which: { folders: [folder] } });
    const at = { pool, episode: 'ep', line: 1, model: null, filter: emptyFilter };
    const picture = () => codeOf(rows['rows.image']({ pool, episode: 'ep', line: 1, image: 0 }));
    expect(await picture()).toBe('no error');
    writeFileSync(path.join(folder, 'ep', 'a.png'), makePng(64, 48, { shade: 9 }));
    expect(await picture()).toBe('image-changed');
    rmSync(path.join(folder, 'ep', 'a.png'));
    expect(await picture()).toBe('image-missing');
    writeFileSync(path.join(root, 'outside.png'), image);
    symlinkSync(path.join(root, 'outside.png'), path.join(folder, 'ep', 'a.png'));
    expect(await picture()).toBe('image-outside');
    rmSync(path.join(folder, 'ep', 'a.png'));
    writeEpisode(folder, 'ep', [makeRow({ target: 'Another' }), '{"torn'], { 'a.png': image });
    expect(await codeOf(rows['rows.read'](at))).toBe('row-changed');
    const again = await rows['rows.open']({ job: 'j', which: { pool } });
    expect(again).toMatchObject({ rows: 1, badCount: 1, bad: [{ line: 2, code: 'row-json' }] });
    expect((await rows['rows.read'](at)) satisfies RowDetail).toMatchObject({ target: 'Another', marks: [] });
    expect(await codeOf(rows['rows.read']({ ...at, line: 2 }))).toBe('bad-row');
  });

  test('a character of several tokens stands at the first of them', async () => {
    const folder = path.join(root, 'squid');
    const target = '{"memory": "a🦑b", "action": [{"click": {"index": 1}}]}';
    writeEpisode(folder, 'ep', [makeRow({ target })]);
    const rows = makePart();
    const { pool } = await rows['rows.open']({ job: 'j', which: { folders: [folder] } });
    const at = { pool, episode: 'ep', line: 1, model: demoModel, filter: emptyFilter };
    const { texts, starts, ends, fields, field } = (await rows['rows.read'](at)).tokens!;
    const squid = texts.findIndex((text) => text.includes('🦑'));
    expect(texts[squid + 1]).toBe('');
    expect([starts[squid], ends[squid], starts[squid + 1], ends[squid + 1]]).toEqual([13, 14, 13, 14]);
    expect(fields[field[squid + 1]!]).toBe('memory');
    expect(texts.join('')).toContain(target);
  });

  test('two folders with episodes of one name keep their rows apart', async () => {
    const folders = [make('first'), make('second')];
    const rows = makePart();
    const { pool, episodes } = await rows['rows.open']({ job: 'j', which: { folders } });
    expect(episodes).toBe(2);
    const { items } = await rows['rows.episodes']({ pool, filter: emptyFilter, from: 0, count: 10 });
    expect(items.map(({ name, rows: of }) => [name, of])).toEqual([
      ['ep', 2],
      ['ep (2)', 2],
    ]);
    const row = await rows['rows.read']({ pool, episode: 'ep (2)', line: 1, model: null, filter: emptyFilter });
    expect(row.file).toBe(`${path.join(folders[1]!, 'ep', 'rows.jsonl')}:1`);
  });

  test('a folder that is not there is said, and an unknown address too', async () => {
    const rows = makePart();
    expect(await codeOf(rows['rows.open']({ job: 'j', which: { folders: [path.join(root, 'nothing')] } }))).toBe(
      'rows-folder-missing',
    );
    expect(await codeOf(rows['rows.list']({ pool: 'abcdef0123456789', filter: emptyFilter, from: 0, count: 1 }))).toBe(
      'no-such-pool',
    );
  });

  test('pools of runs are offered', async () => {
    const data = path.join(root, 'with-runs');
    const folder = make('trained');
    const run = path.join(data, 'runs', '20261130-141200-abcdef');
    mkdirSync(run, { recursive: true });
    writeFileSync(
      path.join(run, 'plan.json'),
      JSON.stringify({ output: { meta: { fields: { args: { rows_dir: folder } } } } }),
    );
    const rows = makePart(data);
    const [entry] = await rows['rows.pools']({});
    expect(entry).toMatchObject({ folders: [folder] });
    const opened = await rows['rows.open']({ job: 'j', which: { pool: entry!.pool } });
    expect(opened).toMatchObject({ pool: entry!.pool, rows: 2 });
    expect(await rows['rows.pools']({})).toHaveLength(1);
  });

  test('a damaged list of pools is put aside, said and begun anew', async () => {
    const data = path.join(root, 'damaged');
    mkdirSync(data, { recursive: true });
    writeFileSync(path.join(data, 'pools.json'), '{"format": "whetstone-po');
    const rows = makePart(data);
    const before = reported.length;
    expect(await rows['rows.pools']({})).toEqual([]);
    expect(String(reported.at(-1))).toContain('damaged');
    expect(reported).toHaveLength(before + 1);
    await rows['rows.open']({ job: 'j', which: { folders: [make('fresh')] } });
    expect(JSON.parse(readFileSync(path.join(data, 'pools.json'), 'utf8'))).toMatchObject({ version: 1, pools: [{}] });
    expect(existsSync(path.join(data, 'pools.json.damaged'))).toBe(true);
  });

  test('30,000 rows: reading can be cancelled, and pages come in time', async () => {
    const folder = path.join(root, 'large');
    const image = makePng(32, 32);
    for (let episode = 0; episode < 1000; episode++) {
      const rows = Array.from({ length: 30 }, (_, step) =>
        makeRow({
          task_id: `task-${episode}`,
          step,
          family: step % 2 ? 'Navigation' : 'Text entry',
          op: step % 3 ? 'click' : 'input',
        }),
      );
      writeEpisode(folder, `episode-${String(episode).padStart(4, '0')}`, rows, episode < 5 ? { 'a.png': image } : {});
    }
    settle(folder);
    const rows = makePart();
    const opening = rows['rows.open']({ job: 'long', which: { folders: [folder] } });
    // After the thread has begun.
    while (!pushed.some(({ job }) => job === 'long')) await new Promise((done) => setTimeout(done, 5));
    expect(rows.jobs.cancel('long')).toBe(true);
    expect(await codeOf(opening)).toBe('cancelled');
    const { pool, rows: total } = await rows['rows.open']({ job: 'long', which: { folders: [folder] } });
    expect(total).toBe(30_000);
    const filter = { ...emptyFilter, text: 'episode-09', families: ['Navigation'] };
    await rows['rows.list']({ pool, filter, from: 0, count: 100 });
    const times = [];
    for (let from = 0; from < 1400; from += 100) {
      const start = performance.now();
      expect((await rows['rows.list']({ pool, filter, from, count: 100 })).total).toBe(1500);
      times.push(performance.now() - start);
    }
    const median = times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!;
    console.log(`page of 100 of 30,000 rows: median ${median.toFixed(1)} ms, most ${times.at(-1)!.toFixed(1)} ms`);
    expect(median).toBeLessThan(20);
  });
});
