/** A trainer that computes nothing, for tests of what is around a verification: `describe`, `decode --stdin` (a hash of the image's path) and `probe`, whose files hold the ordinal. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Plan } from '../../contract/plan.ts';

const [command, ...args] = process.argv.slice(2);
const option = (name: string): string => args[args.indexOf(name) + 1] ?? '';

if (command === 'describe') {
  console.log(JSON.stringify({ trainer: '0.0.1', torch: '2.0.0', devices: [] }));
} else if (command === 'decode') {
  for (const line of readFileSync(0, 'utf8').trimEnd().split('\n')) {
    const { image } = JSON.parse(line) as { image: string };
    console.log(JSON.stringify({ sha256: createHash('sha256').update(image).digest('hex'), shape: [1, 1] }));
  }
} else if (command === 'probe') {
  const plan = JSON.parse(readFileSync(option('--plan'), 'utf8')) as Plan;
  console.log(JSON.stringify({ loaded_s: 0.1, device: 'cpu' }));
  for (const text of option('--visits').split(',')) {
    writeFileSync(path.join(option('--out'), `visit-${text}.safetensors`), text);
    const role = plan.phases[0]?.order.role[Number(text)];
    console.log(JSON.stringify({ ordinal: Number(text), name: '', role, tokens: 1, sum: 2.5, weight: 5 }));
  }
} else {
  console.error(`error: the fake trainer cannot ${String(command)}`);
  process.exitCode = 1;
}
