/**
 * What the trainer does beside computing, on the demo: the time outside forward, reference, backward and optimizer as a share of a step, and the time one step's
 * event takes. Rows a second on this machine stand beside.
 *
 *     node bench/trainer.ts
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readRunFlags } from '../main/cli/run-flags.ts';
import { demoFlags } from '../demo/run.ts';
import { readAllEvents } from '../main/trainer/event-tailer.ts';
import { createRun, prepareRun } from '../main/trainer/launch.ts';
import { eventsFile, logFile } from '../main/trainer/run-folder.ts';
import { startTrainer } from '../main/trainer/spawn.ts';
import { ensureTrainer } from '../tools/setup/ensure-trainer.ts';
import { median, report } from './report.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'whetstone-bench-'));
process.env['WHETSTONE_DATA'] = path.join(folder, 'data');
try {
  await ensureTrainer({ log: (line) => console.log(line) });
  const { request } = readRunFlags(demoFlags(path.join(folder, 'out')));
  const created = await createRun(await prepareRun(request, { checkOutput: true }), 'cli');
  const { exited, child } = await startTrainer(created.folder, created.run);
  child.ref(); // it was let go of, so that it would outlive us
  const status = await exited;
  if (status !== 0) throw new Error(`the trainer ended with ${status}`);
  const events = [...readAllEvents(eventsFile(created.folder))].flatMap((batch) => batch.events);
  // The trainer measures its own writing and says so in its log.
  const [, mean, most] =
    /a step event took ([\d.]+) ms, at most ([\d.]+) ms/.exec(readFileSync(logFile(created.folder), 'utf8')) ?? [];
  // The first steps pay for threads, memory and the first pages of the weights.
  const steps = events.filter((event) => event.kind === 'step').slice(5);
  const shares = steps.map(
    ({ seconds: s }) => s.other / (s.forward + s.reference + s.backward + s.optimizer + s.other),
  );
  const whole = steps.map(({ seconds: s }) => s.forward + s.reference + s.backward + s.optimizer + s.other);
  const rows = steps.reduce((sum, step) => sum + step.visits.length, 0);
  const tokens = steps.reduce((sum, step) => sum + step.tokens, 0);
  const seconds = whole.reduce((sum, value) => sum + value, 0);
  const met = report(
    'trainer',
    [
      {
        name: 'outside forward, backward, optimizer: median of steps',
        value: 100 * median(shares),
        unit: '%',
        atMost: 5,
      },
      { name: 'one step event: mean', value: Number(mean), unit: 'ms', atMost: 1 },
      { name: 'one step event: at most', value: Number(most), unit: 'ms' },
      { name: 'one step of 4 rows: median', value: 1000 * median(whole), unit: 'ms' },
      { name: 'rows', value: rows / seconds, unit: 'rows/s' },
      { name: 'tokens', value: tokens / seconds, unit: 'tokens/s' },
    ],
    { steps: steps.map((step) => step.seconds) },
  );
  process.exitCode = met ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
