#!/usr/bin/env node
// Starts the command line on the Node that the project brings (24, which runs TypeScript as it is), whatever the system has.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const own = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url));
const node = existsSync(own) ? own : process.execPath;
const child = spawn(node, [fileURLToPath(new URL('../main/cli/main.ts', import.meta.url)), ...process.argv.slice(2)], {
  stdio: 'inherit',
});
// Signals are passed on. The terminal sends Ctrl-C to the child as well, which takes two at once as one.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
