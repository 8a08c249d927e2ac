/**
 * The history behind the pictures of docs/screens: run folders of bench/make-history.ts under names and with ends as people have them. Their figures are drawn
 * from a seed; what the pictures show of single runs comes from real ones, which e2e/screens.ts trains.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { makeHistory, usualHistory } from '../bench/make-history.ts';
import type { RunFile } from '../main/contract/runs.ts';
import { writePerson } from '../main/trainer/person.ts';
import { eventsFile, readRunFile, writeRunFile } from '../main/trainer/run-folder.ts';

interface Story {
  name: string;
  note?: string;
  /** Share of the steps that were done; 1 where it is not said. */
  share?: number;
  /** How it ended; finished where it is not said. lost: without a last word, on this machine. elsewhere: without one, on another. */
  end?: 'stopped' | 'failed' | 'lost' | 'elsewhere';
  /** Of the held-out rows: equal only where it is the same. */
  set?: string;
}

/** Oldest first, four hours apart. */
const stories: readonly Story[] = [
  { name: 'planner-b0.1', note: '80 rows only', set: '0d11' },
  { name: 'select-b0-3ep', note: 'no anchor', set: '7e1c' },
  { name: 'pooled-v5-lr5e-5', set: 'e41a' },
  { name: 'pooled-v5-s1', note: 'seed 1', set: 'e41a' },
  { name: 'select-b0.3-3ep', share: 0.47, end: 'lost', set: '7e1c' },
  { name: 'reasoning-b0.3', note: 'stopped for the demo', share: 0.57, end: 'stopped', set: '19f0' },
  { name: 'pooled-v5-f0.1', set: 'e41a' },
  { name: 'pooled-v5-lr2e-4', share: 0.6, end: 'failed', set: 'e41a' },
  { name: 'pooled-v5-f0.3', set: 'e41a' },
  { name: 'pooled-v5', note: 'all seven families, 1 epoch', set: 'e41a' },
  { name: 'drag-from-pooled-b0.1', note: 'from pooled-v5', set: 'b02d' },
  { name: 'select-b0.1-3ep', note: 'from base', set: '7e1c' },
  { name: 'io-from-pooled-b0.1', note: 'from pooled-v5', set: '51c8' },
  { name: 'pooled-9b-v5', share: 0.41, end: 'elsewhere', set: 'e41a' },
];

type Event = Record<string, unknown> & { kind: string; time: number; seq: number };
const terminal = ['finished', 'stopped', 'failed'];

/** Saves an adapter after every fifth of the steps, and scores it where the curve is. */
function saveAndScore(events: Event[], output: string): void {
  const before = events.find(({ kind }) => kind === 'evaluation');
  if (!before) return;
  for (const share of [0.2, 0.4, 0.6, 0.8]) {
    const at = events.findIndex(({ kind, rows, of }) => kind === 'log' && Number(rows) >= share * Number(of));
    const log = events[at];
    if (!log) return;
    const { rows, time, ce } = log as Event & { rows: number; ce: number };
    const [name, mean] = [`rows_${rows}`, ce + 0.012];
    const groups = [{ name: 'drag', n: 4, mean, stderr: 0.02 }];
    events.splice(
      at + 1,
      0,
      { ...log, kind: 'checkpoint', name, folder: path.join(output, name), step: rows / 2, time },
      { ...before, rows, checkpoint: name, mean, groups, time },
    );
  }
}

function tell(folder: string, story: Story): void {
  const { name, note = '', share = 1, end, set = 'c0ff' } = story;
  const run = readRunFile(folder);
  if (!run) throw new Error(`${folder} has no run.json`);
  const host = end === 'elsewhere' ? 'midas' : os.hostname();
  const launches = run.launches.map((launch) => ({
    ...launch,
    process: launch.process && { ...launch.process, host },
  }));
  const output = path.join(path.dirname(run.output), name);
  writeRunFile(folder, { ...run, name, output, createdBy: 'window', launches } satisfies RunFile);
  if (note !== '') writePerson(folder, { name: null, note });

  const file = eventsFile(folder);
  const events = readFileSync(file, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line) as Event); // prettier-ignore
  const steps = events.filter(({ kind }) => kind === 'step').length;
  // A run that failed already ends where it failed.
  const last = end === 'failed' ? Number.POSITIVE_INFINITY : Math.floor(share * steps);
  const cut = events.findIndex(({ kind, step }) => kind === 'step' && Number(step) >= last);
  const kept = (cut < 0 ? events : events.slice(0, cut)).filter(
    ({ kind }) => end === undefined || end === 'failed' || !terminal.includes(kind),
  );
  saveAndScore(kept, output);
  const newest = kept.at(-1);
  if (!newest) throw new Error(`${file} is empty`);
  const say = (kind: string, fields: object): void => {
    kept.push({ v: 1, seq: newest.seq, time: newest.time + 1, kind, ...fields });
  };
  const rows = last * 2;
  const state = path.join(folder, 'resume', `rows_${rows}`);
  if (end === 'stopped' || end === 'lost') {
    mkdirSync(state, { recursive: true });
    writeFileSync(path.join(state, 'DONE'), '');
    say('resume_state', { folder: state, rows, step: last });
  }
  if (end === 'stopped') say('stopped', { rows, seconds: newest.time - run.created, resume: state });
  // The other host was heard a moment ago.
  if (end === 'elsewhere') for (const event of kept) event.time += Date.now() / 1000 - 12 - newest.time;
  const text = kept.map((event, seq) => JSON.stringify({ ...event, seq })).join('\n');
  writeFileSync(file, `${text.replaceAll('c0ffee', `${set}d5a90c77`).replaceAll('trainbox', host)}\n`);
}

/** Makes the data folder `folder` with these runs; the newest began four hours before `now` (seconds since 1970). */
export function makeScreensHistory(folder: string, now: number): void {
  makeHistory({ ...usualHistory, folder, runs: stories.length, steps: 2400, logs: 200, now });
  readdirSync(path.join(folder, 'runs'))
    .sort()
    .forEach((id, at) => {
      const story = stories[at];
      if (story) tell(path.join(folder, 'runs', id), story);
    });
}
