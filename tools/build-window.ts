/**
 * Builds the window for `whetstone serve` into dist/renderer, when it is not there or its sources are others than it was built from. Two at once do not
 * build twice, and a build that fails leaves the old one.
 *
 *     node tools/build-window.ts [--force]
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tryExclusiveLock } from '../main/store/exclusive-lock.ts';

const project = path.resolve(import.meta.dirname, '..');
const configFile = path.join(project, 'vite.renderer.config.ts');
export const windowFolder = path.join(project, 'dist', 'renderer');
const mark = '.built-from';

/** What the built files depend on, by content: times change with every checkout. */
function sourceHash(): string {
  const sources = [configFile, path.join(project, 'package-lock.json')];
  for (const folder of ['renderer', 'main/contract'])
    for (const entry of readdirSync(path.join(project, folder), { recursive: true, withFileTypes: true }))
      if (entry.isFile() && !/\.test\.tsx?$|^\./.test(entry.name))
        sources.push(path.join(entry.parentPath, entry.name));
  const hash = createHash('sha256');
  for (const file of sources.sort()) {
    const content = readFileSync(file);
    hash.update(`${path.relative(project, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

function builtFrom(): string | null {
  try {
    return readFileSync(path.join(windowFolder, mark), 'utf8');
  } catch {
    return null;
  }
}

/** False: what was there is still right. `log` gets a line before the work begins. */
export async function buildWindow(options: { force?: boolean; log?: (line: string) => void } = {}): Promise<boolean> {
  const { force = false, log = () => undefined } = options;
  const isFresh = (): boolean => !force && builtFrom() === sourceHash();
  if (isFresh()) return false;
  mkdirSync(path.join(project, '.whetstone'), { recursive: true });
  const lockFile = path.join(project, '.whetstone', 'build-window.lock');
  let lock = tryExclusiveLock(lockFile);
  if (!lock) log('waiting for another build of the window');
  while (!lock) {
    await sleep(200);
    lock = tryExclusiveLock(lockFile);
  }
  try {
    if (isFresh()) return false;
    log('building the window');
    await buildInto(windowFolder);
    return true;
  } finally {
    lock.release();
  }
}

async function buildInto(folder: string): Promise<void> {
  // Read before the build: what is saved while it runs makes the next start build again.
  const hash = sourceHash();
  const fresh = `${folder}.new.tmp`;
  const old = `${folder}.old.tmp`;
  rmSync(fresh, { recursive: true, force: true });
  const { build } = await import('vite');
  await build({ configFile, logLevel: 'warn', build: { outDir: fresh } });
  writeFileSync(path.join(fresh, mark), hash);
  rmSync(old, { recursive: true, force: true });
  try {
    renameSync(folder, old);
  } catch {
    // There was none.
  }
  renameSync(fresh, folder);
  rmSync(old, { recursive: true, force: true });
}

if (import.meta.main) {
  try {
    const built = await buildWindow({
      force: process.argv.includes('--force'),
      log: (line) => process.stderr.write(`${line}\n`),
    });
    if (built) process.stderr.write(`built ${path.relative(process.cwd(), windowFolder)}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
