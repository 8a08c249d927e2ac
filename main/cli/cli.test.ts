/**
 * The command line as people use it: the program itself, its output, its exit status. The rows and the tokenizer are the demo's; the trainer is the fake
 * one, so what is shown here is everything around training.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { fakeTrainer } from '../trainer/testing/made-run.ts';
import { bar, createProgress, duration, type Progress } from './progress-bar.ts';
import { formatRunHelp, readRunFlags } from './run-flags.ts';

const project = path.resolve(import.meta.dirname, '../..');
let scratch: string;
let model: string;
let rows: string;
let environment: Record<string, string | undefined>;

beforeAll(() => {
  scratch = mkdtempSync(path.join(os.tmpdir(), 'whetstone-cli-'));
  model = path.join(scratch, 'model');
  cpSync(path.join(project, 'demo/model'), model, {
    recursive: true,
    filter: (file) => !file.endsWith('.safetensors'),
  });
  const header = Buffer.from(JSON.stringify({ x: { dtype: 'F32', shape: [1], data_offsets: [0, 4] } }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  writeFileSync(path.join(model, 'model.safetensors'), Buffer.concat([length, header, Buffer.alloc(4)]));
  rows = path.join(project, 'demo/rows');
  environment = { ...process.env, WHETSTONE_DATA: path.join(scratch, 'data'), WHETSTONE_TRAINER: fakeTrainer(scratch) };
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface EncodedAnswer {
  row: string;
  tokens: number;
  targets: number;
  ids: number[];
  target_ids: number[];
  action_mask: number[];
}

interface Outcome {
  code: number | null;
  out: string;
  err: string;
}

function start(
  args: string[],
  extra: Record<string, string> = {},
): { child: ChildProcess; ended: Promise<Outcome>; said: () => string } {
  const child = spawn(process.execPath, [path.join(project, 'bin/whetstone.js'), ...args], {
    cwd: scratch,
    env: { ...environment, ...extra },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (err += chunk));
  const ended = new Promise<Outcome>((resolve) => child.on('close', (code) => resolve({ code, out, err })));
  return { child, ended, said: () => out };
}
const whetstone = (args: string[], extra: Record<string, string> = {}): Promise<Outcome> => start(args, extra).ended;
const run = (...more: string[]): string[] => [
  'run',
  'webmix',
  '--adapter',
  'drag',
  '--rows-dir',
  rows,
  '--model',
  model,
  ...more,
];
const until = async (holds: () => boolean): Promise<void> => {
  for (let tries = 0; !holds(); tries += 1) {
    if (tries > 1000) throw new Error('waited for too long');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};
const runFolders = (): string[] => {
  const folder = path.join(scratch, 'data/runs');
  return existsSync(folder) ? readdirSync(folder) : [];
};

describe('run', () => {
  it('trains in the foreground: census, log records, evaluations, exit status 0', async () => {
    const { code, out, err } = await whetstone(run('--out', 'first', '--wandb-project', 'webmix-pilot'));
    expect(err).toContain('nothing is sent to wandb');
    expect(out).toMatch(/^adapter drag: \d+ CE rows \(Drag & gesture\), anchor pool \d+, held out \d+, 1 rank\n/);
    expect(out).toContain('optimizer steps');
    const records = out
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(records.some((record) => 'rows_per_s' in record && 'ce' in record)).toBe(true);
    expect(records.filter((record) => record['evaluation'] === 'held_out').length).toBeGreaterThan(1);
    expect(out).toContain(`the adapter is in ${path.join(scratch, 'first')}`);
    expect(code).toBe(0);

    const listed = JSON.parse((await whetstone(['runs', '--json'])).out) as Record<string, unknown>[];
    expect(listed).toMatchObject([{ state: 'finished', recipe: 'webmix', elsewhere: false }]);
    expect(listed[0]?.['rows']).toBe(listed[0]?.['totalRows']);
    const shown = JSON.parse((await whetstone(['show', 'last', '--json'])).out) as {
      settings: unknown;
      checkpoints: { name: string }[];
    };
    expect(shown.settings).toMatchObject({ adapter: 'drag', lr: 1e-4, allowBad: 0, badRows: 0 });
    expect(shown.checkpoints.map((each) => each.name)).toContain('final');
    expect((await whetstone(['tail', 'last'])).out.split('\n').filter((line) => line.startsWith('{'))).toEqual(
      out.split('\n').filter((line) => line.startsWith('{')),
    );

    const again = await whetstone(run('--out', 'first'));
    expect(again.code).toBe(1);
    expect(again.err).toContain(`error: the output folder ${path.join(scratch, 'first')} holds another run`);
    expect(again.err).toContain('hint: ');
    expect(runFolders()).toHaveLength(1);
  });

  it('stops with a checkpoint at the first Ctrl-C, and goes on with resume', async () => {
    const { child, ended, said } = start(run('--out', 'second', '--epochs', '20'), { WEBMIX_FAKE_TRAINER: 'slow:200' });
    await until(() => said().includes('"evaluation"'));
    child.kill('SIGINT');
    const { code, out } = await ended;
    expect(out).toContain('stopping with a checkpoint');
    expect(out).toMatch(/stopped after \d+ rows; it can go on from/);
    expect(code).toBe(1);
    const resumed = await whetstone(['resume', 'last']);
    expect(resumed.out).toContain('finished: ');
    expect(resumed.out).not.toContain('stopped after');
    expect(resumed.code).toBe(0);
    expect((await whetstone(['resume', 'last'])).err).toContain('is finished');
  });

  it('is ended by the second Ctrl-C', async () => {
    const { child, ended, said } = start(run('--out', 'third', '--epochs', '50'), { WEBMIX_FAKE_TRAINER: 'deaf' });
    await until(() => said().includes('"evaluation"'));
    child.kill('SIGINT');
    await until(() => said().includes('Ctrl-C once more'));
    await new Promise((resolve) => setTimeout(resolve, 300));
    child.kill('SIGINT');
    expect((await ended).code).toBe(1);
    expect(JSON.parse((await whetstone(['show', 'last', '--json'])).out)).toMatchObject({ state: 'stopped' });
  });

  it('goes on in the background with --detach, until it is stopped', async () => {
    const started = await whetstone(run('--out', 'fourth', '--epochs', '50', '--detach'), {
      WEBMIX_FAKE_TRAINER: 'slow:400',
    });
    expect(started.code).toBe(0);
    const id = started.out.trim().split('\n').at(-1) ?? '';
    expect(runFolders()).toContain(id);
    const listed = JSON.parse((await whetstone(['runs', '--json'])).out) as { id: string; state: string }[];
    expect(listed[0]).toMatchObject({ id, state: 'running' });
    expect((await whetstone(['resume', id])).err).toContain('is running');
    expect((await whetstone(run('--out', 'fourth'))).err).toContain(`the run ${id} is at work and writes into`);
    const stopped = await whetstone(['stop', id]);
    expect(stopped).toMatchObject({ code: 0, out: expect.stringContaining('stopped') });
    expect((await whetstone(['stop', id])).out).toContain('over already: stopped');
  });

  it('tells what failed', async () => {
    const failed = await whetstone(run('--out', 'fifth'), { WEBMIX_FAKE_TRAINER: 'fail:2' });
    expect(failed.code).toBe(1);
    expect(failed.err).toContain('error: the loss is nan\nhint: lower the learning rate');
    const mute = await whetstone(run('--out', 'sixth'), { WEBMIX_FAKE_TRAINER: 'mute' });
    expect(mute.code).toBe(1);
    expect(mute.err).toContain('ended with code 127 without a last word');
    expect(mute.err).toContain('libcuda.so.1');
    const detached = await whetstone(run('--out', 'seventh', '--detach'), { WEBMIX_FAKE_TRAINER: 'mute' });
    expect(detached.code).toBe(1);
    expect(detached.err).toContain('libcuda.so.1');
  });

  it('goes on when nobody reads its lines any more (| head)', async () => {
    const { child, ended, said } = start(run('--out', 'unread'));
    child.stdout?.on('data', () => {
      if (/^run \d/m.test(said())) child.stdout?.destroy();
    });
    const { code, err } = await ended;
    expect(err).not.toContain('EPIPE');
    expect(code).toBe(1);
    expect((await whetstone(['tail', 'last', '-f'])).out).toContain('finished: ');
  });
});

describe('what is refused before anything is made', () => {
  const refused = async (args: string[], code: number, ...texts: string[]): Promise<void> => {
    const before = runFolders().length;
    const outcome = await whetstone(args);
    expect(outcome.err).not.toContain('fault of Whetstone itself');
    for (const text of texts) expect(outcome.err).toContain(text);
    expect(outcome.code).toBe(code);
    expect(runFolders()).toHaveLength(before);
  };

  it('more than one rank', () =>
    refused(run('--out', 'ranks', '--ranks', '2'), 1, 'for 2 ranks', 'hint: Leave --ranks out'));

  it('flags that cannot be', async () => {
    await refused(['run'], 2, 'the recipe is missing');
    await refused(run('--adaptor', 'x'), 2, 'there is no flag --adaptor');
    await refused(run('--rank', '0'), 2, 'rank has to be', 'hint: --rank');
    await refused(['run', '--plan'], 2, '--plan needs the path');
    await refused(['run', '--plan', 'plan.json', '--lr', '1'], 2, 'not with --lr 1');
    await refused(['run', '--plan', 'nowhere/plan.json'], 1, 'nowhere/plan.json');
    await refused(run('--ranks', '9999'), 1, '9999');
    await refused(['bogus'], 2, "unknown command 'bogus'");
    await refused(['show', 'nothing'], 1, 'there is no run nothing');
  });

  it('a model, rows or a family that nobody has', async () => {
    await refused(
      ['run', 'webmix', '--adapter', 'drag', '--rows-dir', rows, '--model', 'No/Such'],
      1,
      'no such model: No/Such',
      'hf download No/Such',
    );
    await refused(['run', 'webmix', '--adapter', 'drag', '--model', model], 1, 'no rows folder was given');
    await refused(['run', 'webmix', '--adapter', 'drag', '--model', model, '--rows-dir', '/nowhere'], 1, '/nowhere');
    await refused(['run', 'webmix', '--families', 'Juggling', '--model', model, '--rows-dir', rows], 1, 'Juggling');
    await refused(run('--init-adapter', 'nowhere'), 1, path.join(scratch, 'nowhere'));
  });

  it('a file in place of the output, and a trainer that is not built', async () => {
    writeFileSync(path.join(scratch, 'a-file'), '');
    await refused(run('--out', 'a-file'), 1, 'is a file');
    await refused(run('--out', 'a-file/below'), 1, 'is a file');
    const outcome = await whetstone(run('--out', 'x'), { WHETSTONE_TRAINER: '/nowhere/trainer' });
    expect(outcome).toMatchObject({ code: 1, err: expect.stringContaining('WHETSTONE_TRAINER is /nowhere/trainer') });
  });

  it('a bad row, unless it is let through', async () => {
    const pool = path.join(scratch, 'pool');
    cpSync(rows, pool, { recursive: true });
    const [episode] = readdirSync(pool).filter((name) => !name.startsWith('_'));
    const file = path.join(pool, episode ?? '', 'rows.jsonl');
    const line = readFileSync(file, 'utf8').trimEnd().split('\n').length + 1;
    appendFileSync(file, '{"task_id": "torn", "mess\n');
    const words = ['run', 'webmix', '--adapter', 'drag', '--rows-dir', pool, '--model', model, '--out', 'eighth'];
    await refused(words, 1, `${file}:${line}`, '--allow-bad 1');
    const let_through = await whetstone([...words, '--allow-bad', '1']);
    expect(let_through.code).toBe(0);
    expect(let_through.out).toContain('1 rows cannot be used and are left out');
    const newest = runFolders().sort().at(-1) ?? '';
    expect(JSON.parse(readFileSync(path.join(scratch, 'data/runs', newest, 'run.json'), 'utf8'))).toMatchObject({
      badRows: { allowed: 1, found: 1 },
    });
  });
});

describe('other commands', () => {
  it('plan prints the census and makes no run', async () => {
    const before = runFolders().length;
    const words = ['plan', 'webmix', '--adapter', 'drag', '--rows-dir', rows, '--model', model, '--out', 'first'];
    const { code, out } = await whetstone([...words, '--json']);
    expect(code).toBe(0);
    const answer = JSON.parse(out) as { census: { ceRows: number; steps: { real: number } } };
    expect(answer.census.ceRows).toBeGreaterThan(0);
    expect((await whetstone(words)).out).toContain('anchor pool');
    expect(runFolders()).toHaveLength(before);
  });

  it('encode prints a row as the trainer gets it', async () => {
    const byIndex = JSON.parse(
      (await whetstone(['encode', rows, '--row', '0', '--model', model, '--json'])).out,
    ) as EncodedAnswer;
    expect(byIndex.ids).toHaveLength(byIndex.tokens);
    expect(byIndex.action_mask).toHaveLength(byIndex.targets);
    expect(byIndex.target_ids).toHaveLength(byIndex.targets);
    const name = byIndex.row.replace('/rows.jsonl', '');
    const byName = JSON.parse(
      (await whetstone(['encode', rows, '--row', name, '--model', model, '--json'])).out,
    ) as EncodedAnswer;
    expect(byName).toEqual(byIndex);
    expect((await whetstone(['encode', rows, '--row', 'nobody:1', '--model', model])).err).toContain(
      'there is no row nobody:1',
    );
  });

  it('describe asks the trainer', async () => {
    expect(JSON.parse((await whetstone(['describe'])).out)).toMatchObject({ models: ['qwen3_5'] });
  });

  it('a damaged history is told', async () => {
    const data = path.join(scratch, 'other-data');
    mkdirSync(data);
    writeFileSync(path.join(data, 'whetstone.db'), 'nothing that SQLite knows'.repeat(100));
    const { code, err } = await whetstone(['runs'], { WHETSTONE_DATA: data });
    expect(code).toBe(1);
    expect(err).toContain('the run history is damaged');
  });
});

describe('flags', () => {
  it("take a pasted command of the Python trainer, and the run's own", () => {
    const { request, detach, notes } = readRunFlags(
      [
        'webmix',
        ...'--adapter drag --lr 5e-5 --rank 64 --alpha 128 --rows-dir a --rows-dir b --out /o --recompute off --detach --wandb-project p'.split(
          ' ',
        ),
      ],
      { environment: { WEBMIX_BASE_MODEL: 'microsoft/Fara1.5-4B' } },
    );
    expect(request).toMatchObject({
      ...{
        recipe: 'webmix',
        model: 'microsoft/Fara1.5-4B',
        rowsFolders: ['a', 'b'],
        output: '/o',
        allowBad: 0,
        ranks: 1,
      },
      settings: { adapter: 'drag', lr: 5e-5, rank: 64, alpha: 128, recompute: false },
    });
    expect(detach).toBe(true);
    expect(notes).toHaveLength(1);
    expect(readRunFlags(['webmix', '--adapter', 'drag'], { environment: {} }).request.model).toBe('Qwen/Qwen3.5-4B');
    expect(readRunFlags(['webmix', '--init-adapter', 'x']).request.settings['initAdapter']).toBe(path.resolve('x'));
  });

  it('that cannot be are named', () => {
    expect(() => readRunFlags(['webmax'])).toThrow('there is no recipe "webmax"');
    expect(() => readRunFlags(['webmix', '--rank', 'many'])).toThrow('--rank has to be a whole number');
    expect(() => readRunFlags(['webmix', '--out', '--detach'])).toThrow('--out needs a value (FOLDER)');
    expect(() => readRunFlags(['webmix', '--recompute', 'maybe'])).toThrow('--recompute has to be on or off');
    expect(() => readRunFlags(['webmix', '--allow-bad', '-1'])).toThrow('--allow-bad has to be 0 or more');
    expect(() => readRunFlags(['webmix', '--episode-ids', '/nowhere/ids'])).toThrow('/nowhere/ids');
  });

  it('are all in the help', () => {
    const help = formatRunHelp('run', ['webmix']);
    for (const flag of [
      '--adapter',
      '--anchor-ratio',
      '--save-every',
      '--model',
      '--allow-bad',
      '--detach',
      '--threads',
    ])
      expect(help).toContain(flag);
    expect(help.match(/--rows-dir/g)).toHaveLength(1);
    expect(help).not.toContain('--json');
    expect(formatRunHelp('plan', ['webmix'])).not.toContain('--detach');
  });

  it('are asked for without a recipe too', async () => {
    const { code, out } = await whetstone(['run', '--help']);
    expect(out).toContain('whetstone run webmix --help');
    expect(code).toBe(0);
  });
});

describe('progress', () => {
  it('has a bar and words for time', () => {
    expect(bar(5, 10)).toBe(`[${'#'.repeat(12)}${'.'.repeat(12)}]`);
    expect(bar(0, 0)).toBe(`[${'.'.repeat(24)}]`);
    expect([5, 75, 3700].map(duration)).toEqual(['5s', '1m15s', '1h01m']);
  });

  const written = (isTTY: boolean): { progress: Progress; text: () => string } => {
    let text = '';
    const stream = { isTTY, columns: 80, write: (part: string) => (text += part) } as unknown as NodeJS.WriteStream;
    return { progress: createProgress(stream, (line) => (text += `${line}\n`)), text: () => text };
  };

  it('is one line on a terminal, below the lines that stay', () => {
    const { progress, text } = written(true);
    progress.update('training', 1, 4);
    progress.line('{"rows":1}');
    progress.clear();
    expect(text()).toBe(`training ${bar(1, 4)} 1/4\r\x1b[2K{"rows":1}\ntraining ${bar(1, 4)} 1/4\r\x1b[2K`);
  });

  it('is a line every ten seconds elsewhere, and one at the end', () => {
    vi.useFakeTimers();
    try {
      const { progress, text } = written(false);
      for (let second = 0; second < 25; second += 1) {
        progress.update('encoding', second, 100);
        vi.advanceTimersByTime(1000);
      }
      progress.update('encoding', 100, 100);
      expect(text()).toBe('encoding 10/100\nencoding 20/100\nencoding 100/100\n');
    } finally {
      vi.useRealTimers();
    }
  });
});
