/**
 * `npm run demo`: from a fresh clone to a trained adapter. Sets up what is missing, then makes the run that `whetstone run webmix` would make with the flags
 * that it prints, and checks what came of it.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { preparedLines } from '../main/cli/census-lines.ts';
import { followRun } from '../main/cli/follow-run.ts';
import { createProgress } from '../main/cli/progress-bar.ts';
import { reportError } from '../main/cli/report-error.ts';
import { readRunFlags } from '../main/cli/run-flags.ts';
import { dataFolder } from '../main/paths.ts';
import { readAllEvents } from '../main/trainer/event-tailer.ts';
import { createRun, defaultName, prepareRun } from '../main/trainer/launch.ts';
import { eventsFile } from '../main/trainer/run-folder.ts';
import { startTrainer } from '../main/trainer/spawn.ts';
import { ensureTrainer } from '../tools/setup/ensure-trainer.ts';
import { checkDemo } from './check-run.ts';

/**
 * The demo as a command line of `whetstone`, from flags.json (the window offers the same). A fixed number of row visits, so that it is the same work on every
 * machine. The base model is fp32, since it is small and CPUs are slow in bf16; one thread, since its operations are too small to be shared (two take longer);
 * and no recompute, since memory is no matter.
 */
export function demoFlags(output: string): string[] {
  const { flags } = JSON.parse(readFileSync(path.join(import.meta.dirname, 'flags.json'), 'utf8')) as {
    flags: string[];
  };
  const paths = new Set(['--model', '--rows-dir']);
  const here = flags.map((word, i) => (paths.has(flags[i - 1] ?? '') ? path.join(import.meta.dirname, word) : word));
  return [...here, '--out', output, '--name', path.basename(output)];
}

async function runDemo(): Promise<number> {
  const began = performance.now();
  await ensureTrainer({ log: (line) => console.log(line) });
  const setUp = performance.now();

  const output = path.join(dataFolder(), 'adapters', defaultName('demo', new Date()));
  const flags = demoFlags(freeName(output));
  console.log(`\nwhetstone run ${flags.join(' ')}\n`);
  const { request } = readRunFlags(flags);
  const progress = createProgress();
  const prepared = await prepareRun(request, {
    checkOutput: true,
    onProgress: (stage, done, of) => progress.update(stage, done, of),
    onWarning: (message) => progress.line(`warning: ${message}`),
  });
  progress.clear();
  for (const line of preparedLines(prepared)) console.log(line);
  const { folder, run } = await createRun(prepared, 'cli');
  const started = await startTrainer(folder, run);
  console.log(`\ntraining starts ${((performance.now() - setUp) / 1000).toFixed(1)} s after set-up; run ${run.id}\n`);
  const status = await followRun(folder, started);
  if (status !== 0) return status;

  const events = [...readAllEvents(eventsFile(folder))].flatMap((batch) => batch.events);
  const checks = checkDemo(events);
  console.log('');
  for (const check of checks) console.log(`${check.ok ? 'ok    ' : 'FAILED'} ${check.what}: ${check.found}`);
  if (!checks.every((check) => check.ok)) return 1;
  console.log(`
The adapter is in ${run.output}
It took ${((performance.now() - began) / 1000).toFixed(0)} s in all. What to do next:
  npx whetstone show ${run.id}      the run: settings, curves' last values, checkpoints
  npx whetstone runs                every run so far
  npx whetstone encode ${path.relative(process.cwd(), path.join(import.meta.dirname, 'rows'))} --row 0 --model ${path.relative(process.cwd(), path.join(import.meta.dirname, 'model'))} --json
  npx whetstone plan webmix --help  then: your own rows, your own model`);
  return 0;
}

/** Two demos in one minute must not share an output folder. */
function freeName(output: string): string {
  for (let n = 1; ; ++n) {
    const candidate = n === 1 ? output : `${output}-${n}`;
    if (!existsSync(candidate)) return candidate;
  }
}

if (import.meta.main) {
  try {
    process.exitCode = await runDemo();
  } catch (error) {
    reportError(error);
  }
}
