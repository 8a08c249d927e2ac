#!/usr/bin/env node
// Starts the command line on the Node that the project brings (24, which runs TypeScript as it is), whatever the system has. Being JavaScript itself, it asks for Node's
// cache of compiled code before the first line of TypeScript is read: then not even the compiler of TypeScript has to be loaded, which takes a quarter of a second.
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

const here = (place) => fileURLToPath(new URL(place, import.meta.url));
const own = here('../node_modules/node/bin/node');
const main = here('../main/cli/main.ts');
const cache = here('../.whetstone/compile-cache');

if (!existsSync(own) || realpathSync(own) === realpathSync(process.execPath)) {
  enableCompileCache(cache);
  await import('../main/cli/main.ts');
} else {
  const environment = { NODE_COMPILE_CACHE: cache, ...process.env };
  const child = spawn(own, [main, ...process.argv.slice(2)], { stdio: 'inherit', env: environment });
  // Signals are passed on. The terminal sends Ctrl-C to the child as well, which takes two at once as one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
}
