/**
 * The import table of the native trainer: which room may include which, lowest first. Run by `npm run lint`; the table stands in
 * native/README.md and ARCHITECTURE.md too.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const SOURCE = path.join(import.meta.dirname, '../native/trainer/src');

/** A room may include itself and these. */
const ROOMS: Record<string, readonly string[]> = {
  base: [],
  io: ['base'],
  core: ['base', 'io'],
  lora: ['base', 'io', 'core'],
  models: ['base', 'io', 'core', 'lora'],
  terms: ['base', 'core'],
  dist: ['base', 'core'],
  train: ['base', 'io', 'core', 'lora', 'models', 'terms', 'dist'],
  commands: ['base', 'io', 'core', 'lora', 'models', 'terms', 'dist', 'train'],
};
const WITHOUT_TORCH = new Set(['base', 'io']);

const faults: string[] = [];
for (const entry of readdirSync(SOURCE, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !/\.[ch]pp$/.test(entry.name)) continue;
  const file = path.relative(SOURCE, path.join(entry.parentPath, entry.name));
  const room = file.split(path.sep)[0] ?? '';
  const may = room === 'main.cpp' ? ['base', 'commands'] : ROOMS[room];
  readFileSync(path.join(SOURCE, file), 'utf8')
    .split('\n')
    .forEach((line, index) => {
      const where = `native/trainer/src/${file}:${index + 1}`;
      const own = /^#include "([a-z_]+)\//.exec(line)?.[1];
      if (!may) faults.push(`${where}: the room ${room} is not in tools/check-includes.ts`);
      else if (own && own !== room && !may.includes(own)) faults.push(`${where}: ${room} may not include ${own}`);
      if (WITHOUT_TORCH.has(room) && /^#include <(ATen|torch|c10)\//.test(line))
        faults.push(`${where}: ${room} has to do without torch`);
    });
}
for (const fault of [...new Set(faults)]) console.error(fault);
if (faults.length > 0) process.exit(1);
console.log('native includes: one way');
