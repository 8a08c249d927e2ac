/** Starting, following and stopping, against the fake trainer: real processes, real files. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventOf, RunEvent } from '../contract/events.ts';
import { trainerEnvironment, shownValue } from './environment.ts';
import { followEvents, readAllEvents, readEvents } from './event-tailer.ts';
import { hostName, identify, liveness, processStart } from './process-identity.ts';
import { eventsFile, findRunFolder, listRunIds, newRunId, readRunFile } from './run-folder.ts';
import { locateTrainer, logTail, startTrainer } from './spawn.ts';
import { deriveStatus, noFacts, readStatus } from './status.ts';
import { stopRun } from './stop.ts';
import { fakeTrainer, madeRun } from './testing/made-run.ts';

let scratch: string;
let environment: Record<string, string | undefined>;
beforeAll(() => {
  scratch = mkdtempSync(path.join(os.tmpdir(), 'whetstone-trainer-'));
  environment = {
    ...process.env,
    WHETSTONE_TRAINER: fakeTrainer(scratch),
    SECRET_OF_THE_SHELL: 'x',
    CUDA_VISIBLE_DEVICES: '1',
  };
});
afterAll(() => rmSync(scratch, { recursive: true }));

const start = (made: ReturnType<typeof madeRun>, wish = '', resume = false) =>
  startTrainer(made.folder, readRunFile(made.folder) ?? made.run, {
    environment,
    resume,
    added: { WEBMIX_FAKE_TRAINER: wish },
  });

const events = (folder: string): RunEvent[] => [...readAllEvents(eventsFile(folder))].flatMap((batch) => batch.events);
const until = async (holds: () => boolean): Promise<void> => {
  for (let tries = 0; !holds(); tries += 1) {
    if (tries > 400) throw new Error('waited for too long');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
};

describe('a run', () => {
  it('goes from preparing to finished', async () => {
    const made = madeRun(scratch);
    expect(readStatus(made.folder).state).toBe('preparing');
    const { exited, pid } = await start(made);
    expect(readRunFile(made.folder)?.launches[0]?.process?.pid).toBe(pid);
    const seen: string[] = [];
    for await (const batch of followEvents(eventsFile(made.folder), { pollMs: 10 }))
      seen.push(...batch.events.map((event) => event.kind));
    expect(await exited).toBe(0);
    expect(seen.slice(0, 3)).toEqual(['started', 'phase', 'evaluation']);
    expect(seen.filter((kind) => kind === 'step')).toHaveLength(10);
    expect(seen.at(-1)).toBe('finished');
    expect(readStatus(made.folder)).toMatchObject({ state: 'finished', elsewhere: false, failure: null });
  });

  it('has a process group of its own and none of our environment but what it needs', async () => {
    const made = madeRun(scratch, 200);
    const { pid, launch } = await start(made, 'slow:20');
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, , group, session] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    expect([group, session]).toEqual([pid, pid]);
    expect(launch.environment).toContain('CUDA_VISIBLE_DEVICES');
    expect(launch.environment).not.toContain('SECRET_OF_THE_SHELL');
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('SECRET_OF_THE_SHELL');
    await until(() => readStatus(made.folder).state === 'running');
    expect(await stopRun(made.folder, { kill: true })).toBe('killed');
  });

  it('stops with its resume state, and goes on from there', async () => {
    const made = madeRun(scratch, 40);
    const { exited } = await start(made, 'slow:10');
    await until(() => events(made.folder).some((event) => event.kind === 'step'));
    expect(await stopRun(made.folder)).toBe('stopped');
    expect(await exited).toBe(0);
    expect(readStatus(made.folder).state).toBe('stopped');
    const stopped = events(made.folder).at(-1);
    expect(stopped).toMatchObject({ kind: 'stopped', resume: expect.stringContaining('resume') });

    const again = await start(made, '', true);
    expect(await again.exited).toBe(0);
    const all = events(made.folder);
    const second = all.find((event) => event.kind === 'started' && event.segment === 1);
    expect(second).toMatchObject({ from_rows: stopped?.kind === 'stopped' ? stopped.rows : -1 });
    expect(all.map((event) => event.seq)).toEqual(all.map((_, position) => position));
    expect(readStatus(made.folder).state).toBe('finished');
    expect(readRunFile(made.folder)?.launches.map((launch) => launch.resume)).toEqual([false, true]);
    expect(await stopRun(made.folder)).toBe('was-over');
  });

  it('is killed when it does not stop in time', async () => {
    const made = madeRun(scratch, 1000);
    await start(made, 'deaf');
    await until(() => events(made.folder).some((event) => event.kind === 'step'));
    const stopping = stopRun(made.folder, { graceMs: 400 });
    await until(() => readStatus(made.folder).state === 'stopping');
    expect(await stopping).toBe('killed');
    expect(readStatus(made.folder).state).toBe('stopped');
  });

  it('that fails says what failed', async () => {
    const made = madeRun(scratch);
    const { exited } = await start(made, 'fail:3');
    expect(await exited).toBe(4);
    expect(readStatus(made.folder)).toMatchObject({
      state: 'failed',
      failure: { code: 'non-finite', message: 'the loss is nan', hint: 'lower the learning rate' },
    });
  });

  it('whose process is gone without a last word is lost', async () => {
    const made = madeRun(scratch);
    const { exited } = await start(made, 'vanish:3');
    expect(await exited).toBe(128 + 9);
    expect(readStatus(made.folder).state).toBe('lost');
  });

  it('that dies before its first event leaves its words in the log', async () => {
    const made = madeRun(scratch);
    const { exited } = await start(made, 'mute');
    expect(await exited).toBe(127);
    expect(readStatus(made.folder).state).toBe('lost');
    expect(logTail(made.folder)).toContain('libcuda.so.1');
  });

  it('is not started without a trainer', () => {
    expect(() => locateTrainer({ WHETSTONE_TRAINER: '/nowhere/x' })).toThrow('WHETSTONE_TRAINER is /nowhere/x');
    expect(() => locateTrainer({}, '/nowhere')).toThrow('the trainer is not built');
  });
});

describe('states that no process of ours can show', () => {
  const launch = (host: string, pid: number, processStart: number) => ({
    ...{ time: 1000, command: [], resume: false, environment: [] },
    process: { host, bootId: '', pid, processStart },
  });

  it('a run on another host was last heard some time ago, and is never lost', () => {
    const status = deriveStatus({ facts: noFacts, launch: launch('elsewhere', 1, 1), stopAsked: null, now: 1060 });
    expect(status).toMatchObject({ state: 'preparing', elsewhere: true, host: 'elsewhere', lastHeardSeconds: 60 });
  });

  it('a pid that was given to somebody else is not our run', () => {
    const own = processStart(process.pid) ?? 0;
    const alive = { facts: noFacts, launch: launch(hostName(), process.pid, own), stopAsked: null, now: 1060 };
    expect(deriveStatus(alive).state).toBe('preparing');
    const other = { ...alive, launch: launch(hostName(), process.pid, own - 1) };
    expect(deriveStatus(other).state).toBe('lost');
    expect(deriveStatus({ ...other, stopAsked: 1050 }).state).toBe('stopped');
    // A wish from before this launch was about the last one.
    expect(deriveStatus({ ...alive, stopAsked: 999 }).state).toBe('preparing');
    expect(deriveStatus({ ...alive, stopAsked: 1001 }).state).toBe('stopping');
  });

  it('a run that is started again after it was lost is not lost any more', () => {
    const own = processStart(process.pid) ?? 0;
    const { host, bootId, ...rest } = identify(process.pid) ?? { host: '', bootId: '', pid: 0, processStart: 0 };
    const started = { host, boot_id: bootId, pid: rest.pid, process_start: own - 1, time: 900 } as EventOf<'started'>;
    const facts = { ...noFacts, started, lastTime: 950 };
    expect(deriveStatus({ facts, launch: null, stopAsked: null, now: 1060 }).state).toBe('lost');
    const again = { ...launch(host, process.pid, own), time: 1000 };
    expect(deriveStatus({ facts, launch: again, stopAsked: null, now: 1060 }).state).toBe('preparing');
    // A failure before the first `started` is the last word all the same.
    const terminal = { kind: 'failed', code: 'x', message: 'm', hint: null, time: 1001 } as EventOf<'failed'>;
    expect(
      deriveStatus({ facts: { ...noFacts, terminal, lastTime: 1001 }, launch: again, stopAsked: null, now: 1060 })
        .state,
    ).toBe('failed');
  });

  it('a boot that is over took its processes along', () => {
    const me = identify(process.pid);
    if (!me) throw new Error('no identity');
    expect(liveness(me)).toBe('alive');
    expect(liveness({ ...me, bootId: 'another' })).toBe('gone');
    expect(liveness({ ...me, host: 'another' })).toBe('elsewhere');
  });
});

describe('the tailer', () => {
  const line = (seq: number, message = 'x'): string =>
    `${JSON.stringify({ v: 1, seq, time: 1, kind: 'warning', code: 'c', message })}\n`;

  it('takes whole lines only, and goes on where it was', () => {
    const file = path.join(scratch, 'torn.jsonl');
    expect(readEvents(file, 0)).toEqual({ events: [], unknown: 0, offset: 0 });
    const text = line(0) + line(1, 'Übergröße 漢字');
    writeFileSync(file, Buffer.from(text).subarray(0, Buffer.byteLength(text) - 8));
    const first = readEvents(file, 0);
    expect(first.events.map((event) => event.seq)).toEqual([0]);
    expect(first.offset).toBe(line(0).length);
    expect(readEvents(file, first.offset).offset).toBe(first.offset);
    writeFileSync(file, text);
    const second = readEvents(file, first.offset);
    expect(second.events).toMatchObject([{ seq: 1, message: 'Übergröße 漢字' }]);
    expect(second.offset).toBe(Buffer.byteLength(text));
  });

  it('counts lines that it does not know', () => {
    const file = path.join(scratch, 'unknown.jsonl');
    writeFileSync(
      file,
      `garbage\n\n${line(0)}{"v":2,"kind":"step"}\n{"v":1,"seq":3,"time":1,"kind":"news"}\n${line(4)}`,
    );
    expect(readEvents(file, 0)).toMatchObject({ events: [{ seq: 0 }, { seq: 4 }], unknown: 3 });
  });

  it('reads a line that is longer than its chunk', () => {
    const file = path.join(scratch, 'long.jsonl');
    writeFileSync(file, line(0, 'y'.repeat(9 << 20)) + line(1));
    expect([...readAllEvents(file)].flatMap((batch) => batch.events.map((event) => event.seq))).toEqual([0, 1]);
  });

  it('knows numbers that JSON has not', () => {
    const file = path.join(scratch, 'numbers.jsonl');
    const step = (norm: unknown): string =>
      `${JSON.stringify({
        ...{ v: 1, seq: 0, time: 1, kind: 'step', step: 0, rows: 1, epoch: 0, lr: 1, grad_norm: norm, tokens: 1 },
        ...{ seconds: { forward: 0, backward: 0, reference: 0, optimizer: 0, other: 0 }, gpu_gib: 0, visits: [] },
      })}\n`;
    writeFileSync(file, ['nan', 'inf', '-inf', 1.5, 'much'].map(step).join(''));
    const { events: read, unknown } = readEvents(file, 0);
    expect(read.map((event) => (event.kind === 'step' ? event.grad_norm : null))).toEqual([
      NaN,
      Infinity,
      -Infinity,
      1.5,
    ]);
    expect(unknown).toBe(1);
  });

  it('follows what grows, and ends when it is told', async () => {
    const file = path.join(scratch, 'growing.jsonl');
    const stop = new AbortController();
    const seen: number[] = [];
    const following = (async () => {
      for await (const batch of followEvents(file, { pollMs: 5, signal: stop.signal })) {
        seen.push(...batch.events.map((event) => event.seq));
        if (seen.length === 3) stop.abort();
      }
    })();
    for (const seq of [0, 1, 2]) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      appendFileSync(file, line(seq));
    }
    await following;
    expect(seen).toEqual([0, 1, 2]);
  });
});

describe('runs by id', () => {
  it('sort by time, and differ within a second', () => {
    const ids = [newRunId(new Date(1e12)), newRunId(new Date(1e12)), newRunId(new Date(1e12 + 1000))];
    expect(new Set(ids).size).toBe(3);
    expect([...ids].sort()[2]).toBe(ids[2]);
    expect(ids[0]).toMatch(/^20010909-014640-[0-9a-f]{6}$/);
  });

  it('are found by id, beginning, name, path and `last`', () => {
    const runs = mkdtempSync(path.join(scratch, 'runs-'));
    const { folder, run } = madeRun(runs);
    for (const wanted of [run.id, run.id.slice(0, -2), 'made', folder, 'last'])
      expect(findRunFolder(runs, wanted)).toBe(folder);
    expect(() => findRunFolder(runs, 'other')).toThrow('there is no run other');
    expect(() => findRunFolder(runs, `${runs}/x`)).toThrow('no plan.json');
    madeRun(runs);
    expect(() => findRunFolder(runs, run.id.slice(0, 4))).toThrow('is the beginning of 2 runs');
    expect(listRunIds(runs)).toHaveLength(2);
    expect(listRunIds(path.join(runs, 'none'))).toEqual([]);
  });
});

describe('the environment of a trainer', () => {
  it('is an allow-list, and what the run adds wins', () => {
    const got = trainerEnvironment(
      {
        CUDA_VISIBLE_DEVICES: '0',
        HTTPS_PROXY: 'p',
        NCCL_DEBUG: 'x',
        HOME: '/h',
        PATH: '/bin',
        LD_PRELOAD: 'evil',
        AWS_SECRET: 's',
      },
      { CUDA_VISIBLE_DEVICES: '1', RANK: '0' },
    );
    expect(got).toEqual({ CUDA_VISIBLE_DEVICES: '1', HTTPS_PROXY: 'p', NCCL_DEBUG: 'x', RANK: '0' });
  });

  it('is shown without secrets', () => {
    expect(shownValue('HF_TOKEN', 'hf_abc')).toBe('(hidden)');
    expect(shownValue('WANDB_API_KEY', 'abc')).toBe('(hidden)');
    expect(shownValue('https_proxy', 'http://user:pass@proxy:3128')).toBe('http://(hidden)@proxy:3128');
    expect(shownValue('CUDA_VISIBLE_DEVICES', '0,1')).toBe('0,1');
  });
});
