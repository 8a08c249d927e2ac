/**
 * How long a plan takes for the pool that people have: 27,646 rows of 4,614 episodes, from a warm cache, by the clock on the wall and from the command line
 * (start of the program, reading the pool, looking the examples up, drawing three epochs, census). The prompts are short: a warm plan does not read them.
 *
 *     node bench/plan.ts [--rows 27646] [--rounds 5]
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { makePool } from './make-pool.ts';
import { median, report } from './report.ts';

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '27646' }, rounds: { type: 'string', default: '5' } },
});
const project = path.join(import.meta.dirname, '..');
const folder = mkdtempSync(path.join(os.tmpdir(), 'whetstone-bench-'));

function plan(rows: string): number {
  const flags = ['plan', 'webmix', '--adapter', 'rest', '--rows-dir', rows, '--json'];
  const model = ['--model', path.join(project, 'demo/model')];
  const begin = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [path.join(project, 'main/cli/main.ts'), ...flags, ...model], {
    env: { ...process.env, WHETSTONE_DATA: path.join(folder, 'data') },
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  if (status !== 0) throw new Error(stderr);
  return (performance.now() - begin) / 1000;
}

try {
  const rows = path.join(folder, 'rows');
  const made = await makePool(rows, Math.round(Number(values.rows) / 6), Number(values.rows));
  // Files of the last two seconds are not trusted by the catalog.
  await new Promise((resolve) => setTimeout(resolve, 3000));
  const cold = plan(rows);
  const warm = Array.from({ length: Number(values.rounds) }, () => plan(rows));
  const met = report(
    'plan',
    [
      { name: `plan of ${made} rows, warm cache, median`, value: median(warm), unit: 's', atMost: 3 },
      { name: `plan of ${made} rows, first time`, value: cold, unit: 's' },
    ],
    { rows: made, warm, cold },
  );
  process.exitCode = met ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
