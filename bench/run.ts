/** `npm run bench`: every bench, one after the other; non-zero when a stated figure is missed. Raw JSON goes to bench/results. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const missed: string[] = [];
for (const name of ['encode', 'plan', 'trainer']) {
  console.log(`\n== ${name}`);
  const { status } = spawnSync(process.execPath, [path.join(import.meta.dirname, `${name}.ts`)], { stdio: 'inherit' });
  if (status !== 0) missed.push(name);
}
console.log(missed.length === 0 ? '\nevery stated figure is met' : `\nmissed: ${missed.join(', ')}`);
process.exitCode = missed.length === 0 ? 0 : 1;
