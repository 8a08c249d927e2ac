import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readPool } from './read-pool.ts';
import { readRow, rowName } from './read-row.ts';
import { makePng, makeRow, settle, userMessage, writeEpisode } from './testing/pool-fixture.ts';

let root: string;
let pool: string;
let cache: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'whetstone-')));
  pool = path.join(root, 'pool');
  cache = path.join(root, 'cache');
  mkdirSync(pool);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const read = (cacheFolder: string | null = null) => readPool([pool], { cacheFolder });
const png = makePng(64, 48);

describe('what is read', () => {
  test('episodes by name in code-point order, without those that begin with "_"', async () => {
    for (const name of ['b', 'a-b', 'a', '_note', '.dot', '\u{1f600}', '\uff5e', 'a~rec'])
      writeEpisode(pool, name, [makeRow()]);
    mkdirSync(path.join(pool, 'without-rows'));
    writeFileSync(path.join(pool, 'file'), '');
    const { rows, bad } = await read();
    expect(rows.map(({ episode }) => episode)).toEqual(['.dot', 'a', 'a-b', 'a~rec', 'b', '\uff5e', '\u{1f600}']);
    expect(bad).toEqual([]);
  });

  test('fields, image, key and place of a row', async () => {
    const changes = {
      step: 3,
      segment: 1,
      macro: 'm',
      op: 'click',
      resolved: true,
      memory_by: 'template',
      messages: userMessage('é', 'a.png'),
    };
    writeEpisode(pool, 'e', ['', '  \r', makeRow(changes)], { 'a.png': png, 'episode.json': '{"parts": ["x", "y"]}' });
    const [row] = (await read()).rows;
    const folder = path.join(pool, 'e');
    const sha256 = createHash('sha256').update(png).digest('hex');
    expect(row).toMatchObject({
      episode: 'e',
      folder,
      line: 3,
      offset: 5,
      taskId: 'task-1',
      step: 3,
      segment: 1,
      macro: 'm',
      family: 'Navigation',
      op: 'click',
      resolved: true,
      memoryBy: 'template',
      parts: ['x', 'y'],
      images: [{ path: path.join(folder, 'a.png'), bytes: png.length, sha256, width: 64, height: 48 }],
    });
    expect(row!.key).toMatch(/^[0-9a-f]{64}$/);
    expect(rowName(row!)).toBe('e/rows.jsonl:3');
    const bytes = readFileSync(path.join(folder, 'rows.jsonl')).subarray(row!.offset, row!.offset + row!.length);
    expect(JSON.parse(bytes.toString())).toMatchObject({ task_id: 'task-1' });
    expect(await readRow(row!)).toMatchObject({
      target: makeRow()['target'],
      messages: [{ role: 'user', content: [{ text: 'é' }, { type: 'image' }] }],
    });
  });

  test('keys differ with text, target, role and image, and with nothing else', async () => {
    const other = makePng(64, 48, { shade: 7 });
    const message = (role: string, text: string) => [{ role, content: text }];
    writeEpisode(
      pool,
      'e',
      [
        makeRow({ messages: message('user', 'a') }),
        makeRow({
          messages: [{ role: 'user', content: [{ type: 'text', text: 'a' }] }],
          step: 9,
          family: 'Other',
          extra: 1,
        }),
        makeRow({ messages: message('user', 'b') }),
        makeRow({ messages: message('system', 'a') }),
        makeRow({ messages: message('user', 'a'), target: 't' }),
        makeRow({ messages: userMessage('a', '1.png') }),
        makeRow({ messages: userMessage('a', '2.png') }),
      ],
      { '1.png': png, '2.png': other },
    );
    const keys = (await read()).rows.map(({ key }) => key);
    expect(keys[0]).toBe(keys[1]);
    expect(new Set(keys.slice(1)).size).toBe(6);
  });

  test('injected rows and prefixes are left out by Python’s truth and counted', async () => {
    const lines = [
      { inject: 1 },
      { inject: 'x', aug_prefix: true },
      { aug_prefix: [0] },
      { inject: 0 },
      { aug_prefix: '' },
      { inject: {} },
      { inject: null },
    ];
    writeEpisode(pool, 'e', [...lines.map((line) => makeRow(line)), '{"inject": true}']);
    const { rows, leftOut, bad } = await read();
    expect({ rows: rows.length, leftOut, bad }).toEqual({ rows: 4, leftOut: { inject: 3, augPrefix: 1 }, bad: [] });
  });

  test.each([
    ['{"parts": ["a"]}', ['a']],
    ['{"parts": []}', null],
    ['{"parts": null}', null],
    ['{}', null],
    ['{"parts": ["a"], "score": NaN}', ['a']],
    ['{broken', null],
    ['\ufeff{"parts": ["a"]}', null],
  ])('episode.json %j has the parts %j', async (text, parts) => {
    writeEpisode(pool, 'e', [makeRow()], { 'episode.json': text });
    expect((await read()).rows[0]!.parts).toEqual(parts);
  });

  test('a line longer than the reading buffer, with characters across its edges', async () => {
    const text = 'aé😀'.repeat(400_000);
    writeEpisode(pool, 'e', [makeRow({ messages: userMessage(text) }), makeRow({ target: 'after' })]);
    const { rows, bad } = await read();
    expect(bad).toEqual([]);
    expect((await readRow(rows[0]!)).messages[0]!.content[0]).toEqual({ type: 'text', text });
    expect((await readRow(rows[1]!)).target).toBe('after');
  });

  test('linked episodes: their real folder is their root, and listed', async () => {
    const elsewhere = path.join(root, 'elsewhere');
    writeEpisode(elsewhere, 'real', [makeRow({ messages: userMessage('a', 'a.png') })], { 'a.png': png });
    symlinkSync(path.join(elsewhere, 'real'), path.join(pool, 'linked'));
    symlinkSync(path.join(elsewhere, 'nowhere'), path.join(pool, 'dangling'));
    const { rows, linkTargets, bad } = await read();
    expect(bad).toEqual([]);
    expect(rows).toMatchObject([{ episode: 'linked', folder: path.join(elsewhere, 'real') }]);
    expect(linkTargets).toEqual([path.join(elsewhere, 'real')]);
  });

  test('parts of unknown types are passed over', async () => {
    const content = [{ type: 'text', text: 'a' }, { type: 'input_audio' }, {}, { type: 'text', text: 'b' }];
    writeEpisode(pool, 'e', [makeRow({ messages: [{ role: 'user', content, tool_calls: [1] }] })]);
    const [row] = (await read()).rows;
    expect((await readRow(row!)).messages[0]!.content).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ]);
  });
});

describe('bad rows', () => {
  const fault = async (
    line: Record<string, unknown> | string,
    files: Record<string, string | Uint8Array> = { 'a.png': png },
  ) => {
    writeEpisode(pool, 'e', [makeRow(), line, makeRow()], files);
    const { rows, bad } = await read();
    expect(rows.map((row) => row.line)).toEqual([1, 3]);
    expect(bad).toHaveLength(1);
    expect(bad[0]).toMatchObject({ file: path.join(pool, 'e', 'rows.jsonl'), line: 2 });
    return bad[0]!;
  };
  const withImage = (url: unknown) =>
    makeRow({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] });

  test.each([
    ['row-json', '{"task_id": "t", "fam', /column 18: a string is not closed.*fam/],
    ['row-json', '{"a": 1,, "b": 2}', /column 9/],
    ['row-shape', '[1]', /a list, not an object/],
    ['row-target', makeRow({ target: undefined }), /no target/],
    ['row-target', makeRow({ target: '' }), /empty/],
    ['row-target', makeRow({ target: { a: 1 } }), /an object, not text/],
    ['row-messages', makeRow({ messages: undefined }), /no messages/],
    ['row-messages', makeRow({ messages: [] }), /empty/],
    ['row-messages', makeRow({ messages: 'text' }), /not a list/],
    ['row-messages', makeRow({ messages: [{ content: 'x' }] }), /messages\[0\].role is missing/],
    ['row-messages', makeRow({ messages: [{ role: 'user', content: null }] }), /content is null/],
    [
      'row-messages',
      makeRow({ messages: [{ role: 'user', content: [{ type: 'text' }] }] }),
      /content\[0\].text is missing/,
    ],
    ['row-messages', withImage(7), /url is the number 7/],
    ['row-field', makeRow({ task_id: 5 }), /task_id/],
    ['row-field', makeRow({ family: undefined }), /no family/],
    [
      'row-surrogate',
      String.raw`{"task_id":"t","family":"f","messages":[{"role":"user","content":"a"}],"target":"😀\ud83d"}`,
      /target.*character 2/,
    ],
    ['image-missing', withImage('b.png'), /"b.png" is not there/],
    ['image-outside', withImage('../e/a.png'), /"\.\."/],
    ['image-outside', withImage('/etc/hostname'), /absolute/],
    ['image-outside', withImage('data:image/png;base64,AAAA'), /address/],
    ['image-not-file', withImage('.'), /outside|not a file/],
  ])('%s: %j', async (code, line, message) => {
    const found = await fault(line);
    expect(found.message).toMatch(message);
    if (code !== 'image-not-file') expect(found.code).toBe(code);
  });

  test('bytes that are no UTF-8', async () => {
    const folder = writeEpisode(pool, 'e', [makeRow()]);
    writeFileSync(path.join(folder, 'rows.jsonl'), Buffer.from([0x7b, 0xff, 0x7d, 0x0a]), { flag: 'a' });
    expect((await read()).bad).toMatchObject([{ line: 2, code: 'row-utf8' }]);
  });

  test('a torn last line is called that', async () => {
    const folder = writeEpisode(pool, 'e', [makeRow()]);
    writeFileSync(path.join(folder, 'rows.jsonl'), '{"task_id": "t', { flag: 'a' });
    expect((await read()).bad).toMatchObject([{ line: 2, code: 'row-json', message: expect.stringMatching(/torn/) }]);
  });

  test('a link out of the episode, for an image and for rows.jsonl', async () => {
    writeFileSync(path.join(root, 'outside.png'), png);
    const folder = writeEpisode(pool, 'e', [withImage('a.png')]);
    symlinkSync(path.join(root, 'outside.png'), path.join(folder, 'a.png'));
    writeFileSync(path.join(root, 'rows.jsonl'), JSON.stringify(makeRow()));
    mkdirSync(path.join(pool, 'f'));
    symlinkSync(path.join(root, 'rows.jsonl'), path.join(pool, 'f', 'rows.jsonl'));
    expect((await read()).bad).toMatchObject([
      { line: 1, code: 'image-outside', message: expect.stringMatching(/outside\.png/) },
      { line: 0, code: 'rows-outside' },
    ]);
  });

  test('parts that would change the split', async () => {
    writeEpisode(pool, 'e', [makeRow()], { 'episode.json': '{"parts": "ab"}' });
    writeEpisode(pool, 'f', [makeRow()], { 'episode.json': '[1]' });
    const { rows, bad } = await read();
    expect(rows).toEqual([]);
    expect(bad.map(({ file, code }) => [path.relative(pool, file), code])).toEqual([
      ['e/episode.json', 'episode-parts'],
      ['f/episode.json', 'episode-shape'],
    ]);
  });
});

describe('folders that cannot be used', () => {
  test.each([
    ['rows-folder-missing', () => path.join(pool, 'no')],
    ['no-episodes', () => pool],
    ['rows-not-a-folder', () => (writeFileSync(path.join(root, 'file'), ''), path.join(root, 'file'))],
    ['no-rows', () => (writeEpisode(pool, 'e', [makeRow({ inject: 1 }), '']), pool)],
  ])('%s', async (code, folder) => {
    await expect(readPool([folder()], { cacheFolder: null })).rejects.toMatchObject({
      name: 'AppError',
      code,
      hint: expect.any(String),
    });
  });

  test('one folder under two names', async () => {
    writeEpisode(pool, 'e', [makeRow()]);
    symlinkSync(pool, path.join(root, 'again'));
    await expect(readPool([pool, path.join(root, 'again')], { cacheFolder: null })).rejects.toMatchObject({
      code: 'rows-folder-twice',
    });
  });
});

describe('the catalog', () => {
  const catalogFiles = () => readdirSync(path.join(cache, 'catalog'));
  beforeEach(() => {
    for (const name of ['a', 'b']) {
      writeEpisode(pool, name, [makeRow({ messages: userMessage(name, 'a.png') }), makeRow({ inject: 1 })], {
        'a.png': png,
        'episode.json': '{"parts": ["p"]}',
      });
    }
    settle(pool);
  });

  test('a second reading gives the same pool without opening an image', async () => {
    const first = await read(cache);
    // Same size, time and inode, other bytes: whoever opens it sees it.
    const image = path.join(pool, 'a', 'a.png');
    writeFileSync(image, Buffer.alloc(png.length));
    settle(pool);
    expect(await read(cache)).toEqual(first);
    expect((await read(null)).bad).toHaveLength(1);
  });

  test.each(['rows.jsonl', 'a.png', 'episode.json'])('a changed %s is read again', async (file) => {
    const first = await read(cache);
    if (file === 'rows.jsonl') writeEpisode(pool, 'a', [makeRow({ target: 'new' })]);
    if (file === 'a.png') writeFileSync(path.join(pool, 'a', 'a.png'), makePng(32, 32));
    if (file === 'episode.json') rmSync(path.join(pool, 'a', 'episode.json'));
    settle(pool, 1800);
    const second = await read(cache);
    expect(second).toEqual(await read(null));
    expect(second).not.toEqual(first);
  });

  test('a file of the last two seconds is not trusted', async () => {
    const file = path.join(pool, 'a', 'rows.jsonl');
    const now = new Date();
    writeEpisode(pool, 'a', [makeRow({ target: 'one' })]);
    utimesSync(file, now, now);
    await read(cache);
    writeFileSync(file, readFileSync(file, 'utf8').replace('one', 'two'));
    utimesSync(file, now, now);
    const [row] = (await read(cache)).rows;
    expect((await readRow(row!)).target).toBe('two');
  });

  test('a broken, foreign or unwritable cache changes nothing', async () => {
    const expected = await read(cache);
    const [name] = catalogFiles();
    for (const text of [
      '',
      '{"format":',
      '[]',
      JSON.stringify({
        format: 'whetstone-catalog',
        version: 1,
        folder: realpathSync(pool),
        episodes: { a: { folder: path.join(realpathSync(pool), 'a') } },
      }),
    ]) {
      writeFileSync(path.join(cache, 'catalog', name!), text);
      expect(await read(cache)).toEqual(expected);
    }
    const warnings: string[] = [];
    writeFileSync(path.join(root, 'in-the-way'), '');
    const blocked = await readPool([pool], {
      cacheFolder: path.join(root, 'in-the-way'),
      onWarning: (message) => warnings.push(message),
    });
    expect(blocked).toEqual(expected);
    expect(warnings).toHaveLength(1);
  });

  test('bad rows are looked at again each time', async () => {
    rmSync(path.join(pool, 'a', 'a.png'));
    expect((await read(cache)).bad).toHaveLength(1);
    writeFileSync(path.join(pool, 'a', 'a.png'), png);
    expect((await read(cache)).bad).toEqual([]);
  });
});

describe('reading a row again', () => {
  test.each([
    ['its text', () => [makeRow({ target: '{"memory": "M", "action": []}' })]],
    ['a shorter file', () => ['']],
    ['its place', () => ['', makeRow()]],
  ])('%s changed', async (_, lines) => {
    writeEpisode(pool, 'e', [makeRow()]);
    const [row] = (await read()).rows;
    writeEpisode(pool, 'e', lines());
    await expect(readRow(row!)).rejects.toMatchObject({
      name: 'AppError',
      code: 'row-changed',
      message: expect.stringMatching(/rows\.jsonl:1 has changed/),
    });
  });

  test('a file that is gone', async () => {
    writeEpisode(pool, 'e', [makeRow()]);
    const [row] = (await read()).rows;
    rmSync(path.join(pool, 'e'), { recursive: true });
    await expect(readRow(row!)).rejects.toMatchObject({ code: 'row-changed' });
  });
});

test('a rows.jsonl that is a folder is a fault of the episode', async () => {
  mkdirSync(path.join(pool, 'e', 'rows.jsonl'), { recursive: true });
  expect((await read()).bad).toMatchObject([{ line: 0, code: 'rows-unreadable' }]);
});
