/**
 * A long run that is at work without a trainer: thousands of steps lie behind it, this process stands for its trainer, and its further steps are appended when they are
 * asked for, as a trainer appends them. So the page of a long run can be measured live; the demo has 50 steps.
 */
import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { identify } from '../main/trainer/process-identity.ts';
import { eventsFile, readRunFile, writeRunFile } from '../main/trainer/run-folder.ts';
import { makeHistory, usualHistory } from './make-history.ts';

export interface LiveRun {
  id: string;
  /** Appends the next step as of now. */
  step: () => void;
}

type Line = Record<string, unknown> & { kind: string; time: number; step?: number };

/** Puts a run of 2 * `steps` steps into the data folder, `steps` of them done a moment ago. */
export function makeLiveRun(data: string, steps: number): LiveRun {
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'whetstone-live-'));
  try {
    makeHistory({ ...usualHistory, folder: scratch, runs: 1, steps: 2 * steps, logs: 500 });
    const [made] = readdirSync(path.join(scratch, 'runs'));
    if (made === undefined) throw new Error('no run was made');
    const source = path.join(scratch, 'runs', made);
    const lines = readFileSync(eventsFile(source), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    const at = lines.findIndex((line) => line.kind === 'step' && line.step === steps);
    const behind = lines.slice(0, at);
    const ahead = lines.slice(at).filter((line) => line.kind === 'step');

    const id = `${new Date().toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15)}-11fe00`;
    const folder = path.join(data, 'runs', id);
    cpSync(source, folder, { recursive: true });
    const own = identify(process.pid);
    const run = readRunFile(folder);
    if (!own || !run) throw new Error('this process has no identity, or the run no run.json');
    const shift = Date.now() / 1000 - (behind.at(-1)?.time ?? 0);
    const launches = run.launches.map((launch) => ({ ...launch, time: launch.time + shift, process: own }));
    writeRunFile(folder, { ...run, id, name: 'live', created: run.created + shift, launches });
    const mine = { host: own.host, boot_id: own.bootId, pid: own.pid, process_start: own.processStart };
    const moved = behind.map((line) => ({
      ...line,
      ...(line.kind === 'started' ? mine : {}),
      time: line.time + shift,
    }));
    writeFileSync(eventsFile(folder), moved.map((line) => `${JSON.stringify(line)}\n`).join(''));

    return {
      id,
      step() {
        const next = ahead.shift();
        if (!next) throw new Error('the live run has no more steps');
        appendFileSync(eventsFile(folder), `${JSON.stringify({ ...next, time: Date.now() / 1000 })}\n`);
      },
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
