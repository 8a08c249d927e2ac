/**
 * Every check of the project, one after the other, all of them even when one fails; `npm test` and `npm run ready` are this, and so is CI.
 * Ends with a table and the line `N passed, N failed`. What was skipped is counted and named: a skipped check must not look green.
 *
 * usage: npm run ready -- [stage ...]      stages: format lint types build unit native e2e
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { chromiumAdvice, chromiumOrNone } from './chromium.ts';
import { buildFolder, ensureTrainer } from './setup/ensure-trainer.ts';

const ROOT = path.join(import.meta.dirname, '..');

interface Outcome {
  passed: number;
  failed: number;
  skipped: number;
  /** Names of what was skipped, and why where it is known. */
  notes: string[];
}
const single = (ok: boolean): Outcome => ({ passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0, notes: [] });

/** Runs a program in the project's folder; its output is shown as it comes and returned. */
function run(program: string, args: readonly string[], quiet = false): Promise<{ ok: boolean; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const take = (chunk: Buffer): void => {
      output += chunk.toString();
      if (!quiet) process.stdout.write(chunk);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('error', reject);
    child.on('close', (code) => resolve({ ok: code === 0, output }));
  });
}

const local = (name: string): string => path.join(ROOT, 'node_modules/.bin', name);

function nativeSources(): string[] {
  const folder = path.join(ROOT, 'native/trainer');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.[ch]pp$/.test(file))
    .map((file) => path.join('native/trainer', file));
}

const vitestReport = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numFailedTestSuites: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});

async function vitest(project: string): Promise<Outcome> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'whetstone-ready-'));
  const file = path.join(folder, 'report.json');
  const args = ['run', '--project', project, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const { ok } = await run(local('vitest'), args);
  try {
    const report = vitestReport.parse(JSON.parse(readFileSync(file, 'utf8')));
    const skipped = report.testResults.flatMap((suite) =>
      suite.assertionResults.filter((a) => !['passed', 'failed'].includes(a.status)).map((a) => a.fullName),
    );
    // A file that cannot even be loaded has no tests to count.
    const broken = report.testResults.filter((s) => s.status === 'failed' && s.assertionResults.length === 0).length;
    const failed = report.numFailedTests + broken;
    return {
      passed: report.numPassedTests,
      failed: ok ? failed : Math.max(failed, 1),
      skipped: skipped.length,
      notes: skipped,
    };
  } catch {
    return single(false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function native(): Promise<Outcome> {
  const { ok, output } = await run('ctest', [
    '--test-dir',
    buildFolder(ROOT),
    '--output-on-failure',
    '--no-tests=error',
  ]);
  const total = /(\d+) tests? failed out of (\d+)/.exec(output);
  if (!total) return single(false);
  const failed = Number(total[1]);
  const notRun = [...output.matchAll(/Test\s+#\d+: (\S+) \.+\*{3}Skipped/g)].map((match) => match[1] ?? '');
  return {
    passed: Number(total[2]) - failed - notRun.length,
    failed: ok ? failed : Math.max(failed, 1),
    skipped: notRun.length,
    notes: notRun,
  };
}

/** The machine's own browser, else Playwright's where it can be had, else a loud word; the tests that need one are then skipped and named in the table. */
async function provideChromium(): Promise<void> {
  if (chromiumOrNone() !== undefined) return;
  console.log('no Chromium is here; fetching one of Playwright');
  const fetching = run(local('playwright-core'), ['install', 'chromium']);
  const late = new Promise((resolve) => setTimeout(resolve, 180_000).unref());
  await Promise.race([fetching, late]);
  if (chromiumOrNone() !== undefined) return;
  console.error(`\n!! NO CHROMIUM: the tests of the window DO NOT RUN.\n!! ${chromiumAdvice}\n`);
  process.env['WHETSTONE_WITHOUT_CHROMIUM'] = '1';
}

const STAGES: Record<string, () => Promise<Outcome>> = {
  format: async () => {
    const typescript = await run(local('prettier'), ['--check', '--log-level=warn', '.']);
    const cpp = await run(local('clang-format'), ['--dry-run', '-Werror', ...nativeSources()]);
    return single(typescript.ok && cpp.ok);
  },
  lint: async () => {
    const eslint = await run(local('eslint'), ['.']);
    const includes = await run(process.execPath, ['tools/check-includes.ts']);
    return single(eslint.ok && includes.ok);
  },
  types: async () => {
    const projects = ['.', 'renderer', 'e2e'];
    const results = [];
    for (const project of projects) results.push((await run(local('tsc'), ['-p', project])).ok);
    return single(results.every(Boolean));
  },
  build: async () => {
    await ensureTrainer({ log: (line) => console.log(line), tests: true });
    return single(true);
  },
  unit: () => vitest('unit'),
  native,
  e2e: async () => {
    await provideChromium();
    return vitest('e2e');
  },
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in STAGES));
if (unknown.length > 0) {
  console.error(`no such stage: ${unknown.join(', ')} (there are: ${Object.keys(STAGES).join(', ')})`);
  process.exit(2);
}

const table: (Outcome & { stage: string; seconds: number })[] = [];
for (const [stage, work] of Object.entries(STAGES)) {
  if (asked.length > 0 && !asked.includes(stage)) continue;
  console.log(`\n== ${stage}`);
  const begin = performance.now();
  let outcome: Outcome;
  try {
    outcome = await work();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    if (error instanceof Error && 'hint' in error) console.error(`hint: ${String(error.hint)}`);
    outcome = single(false);
  }
  table.push({ stage, seconds: (performance.now() - begin) / 1000, ...outcome });
}

console.log('\nstage     passed  failed  skipped  seconds');
for (const row of table) {
  const cells = [row.passed, row.failed, row.skipped].map((n) => String(n).padStart(6)).join('  ');
  console.log(`${row.stage.padEnd(8)}  ${cells}  ${row.seconds.toFixed(1).padStart(8)}`);
  for (const note of row.notes) console.log(`          skipped: ${note}`);
}
const sum = (key: 'passed' | 'failed' | 'skipped'): number => table.reduce((total, row) => total + row[key], 0);
console.log(
  `\n${sum('passed')} passed, ${sum('failed')} failed${sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : ''}`,
);
process.exit(sum('failed') > 0 ? 1 : 0);
