/**
 * Makes sure that the native trainer is built: finds the tools and libtorch, configures and builds native/ with CMake into .whetstone/build. What was
 * built of what is remembered in .whetstone/setup.json, so that a second call only hashes the sources and returns. Two calls never build at once.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { AppError } from '../../main/contract/errors.ts';
import { writeFileAtomic } from '../../main/io/atomic-file.ts';
import { projectFolder, type Environment } from '../../main/paths.ts';
import { findTorch, headerVersion, runLogged, type Torch } from './find-torch.ts';
import { findTools, type Tools } from './requirements.ts';

export interface Trainer {
  /** The program whetstone-trainer. */
  binary: string;
  torch: Torch;
}

export interface SetupOptions {
  log: (line: string) => void;
  /** Builds the tests (ctest) too. */
  tests?: boolean;
  root?: string;
  environment?: Environment;
}

const rememberedSchema = z.object({
  version: z.literal(1),
  torch: z.object({ folder: z.string(), version: z.string(), origin: z.enum(['LIBTORCH', 'python', 'fetched']) }),
  tools: z.object({ python: z.string(), compiler: z.string(), cmake: z.string(), ninja: z.string().nullable() }),
  /** What the built things were built of; null: not built. */
  trainer: z.string().nullable(),
  tests: z.string().nullable(),
});
type Remembered = z.infer<typeof rememberedSchema>;

export function stateFolder(root: string = projectFolder): string {
  return path.join(root, '.whetstone');
}

export function buildFolder(root: string = projectFolder): string {
  return path.join(stateFolder(root), 'build');
}

export function trainerBinary(root: string = projectFolder): string {
  return path.join(buildFolder(root), process.platform === 'win32' ? 'whetstone-trainer.exe' : 'whetstone-trainer');
}

function remembered(root: string): Remembered | undefined {
  try {
    return rememberedSchema.parse(JSON.parse(readFileSync(path.join(stateFolder(root), 'setup.json'), 'utf8')));
  } catch {
    return undefined;
  }
}

/** sharp brings libvips; its C headers come in a package of their own. Both empty where a platform has no such package: then no images are read. */
function vips(root: string): { include: string; library: string } {
  const resolver = createRequire(path.join(root, 'package.json'));
  const folderOf = (name: string): string | undefined => {
    try {
      return path.dirname(resolver.resolve(`${name}/package.json`));
    } catch {
      const plain = path.join(root, 'node_modules', name);
      return existsSync(plain) ? plain : undefined;
    }
  };
  const headers = folderOf('@img/sharp-libvips-dev');
  const platform = folderOf(`@img/sharp-libvips-${process.platform}-${process.arch}`);
  if (!headers || !platform) return { include: '', library: '' };
  const library = readdirSync(path.join(platform, 'lib')).find((file) => /^libvips-cpp\.(so|[\d.]*dylib)/.test(file));
  return library
    ? { include: path.join(headers, 'include'), library: path.join(platform, 'lib', library) }
    : { include: '', library: '' };
}

/** Hash of everything that the build depends on. Programs count by place, size and time: asking their version takes too long for every start. */
export function fingerprint(root: string, torch: Torch, tools: Tools, tests: boolean): string {
  const hash = createHash('sha256');
  const native = path.join(root, 'native');
  const files = readdirSync(native, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(c|h|cc|cpp|hpp|cu|cuh|cmake)$|^CMakeLists\.txt$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !path.relative(native, file).startsWith('build'))
    .filter((file) => tests || !/trainer\/tests\//.test(file))
    .sort();
  for (const file of files)
    hash
      .update(`${path.relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  const program = (file: string): string => {
    const { size, mtimeMs } = statSync(file);
    return `${file} ${size} ${mtimeMs}`;
  };
  const { include, library } = vips(root);
  hash.update(
    JSON.stringify([torch.folder, torch.version, program(tools.compiler), tools.ninja !== null, include, library]),
  );
  hash.update(JSON.stringify([process.platform, process.arch, tests]));
  return hash.digest('hex');
}

/** True where what is remembered still stands: the same wish for LIBTORCH, everything still there, the sources as they were built. */
function stillBuilt(root: string, known: Remembered, environment: Environment, tests: boolean): boolean {
  const named = environment['LIBTORCH'];
  if (named ? path.resolve(named) !== known.torch.folder : known.torch.origin === 'LIBTORCH') return false;
  const compiler = environment['CXX'];
  if (compiler && path.basename(compiler) !== path.basename(known.tools.compiler)) return false;
  if (headerVersion(known.torch.folder) !== known.torch.version) return false;
  if (!existsSync(trainerBinary(root)) || !existsSync(known.tools.compiler)) return false;
  return known[tests ? 'tests' : 'trainer'] === fingerprint(root, known.torch, known.tools, tests);
}

/** A file that includes ATen takes up to 1 GiB to compile: a machine of many cores and little memory must not run out of it. */
function parallelJobs(): number {
  return Math.max(1, Math.min(os.availableParallelism(), Math.floor(os.totalmem() / (1.5 * 2 ** 30))));
}

async function build(root: string, torch: Torch, tools: Tools, tests: boolean, options: SetupOptions): Promise<void> {
  const { log, environment = process.env } = options;
  const folder = buildFolder(root);
  const logFile = path.join(stateFolder(root), 'build.log');
  const { include, library } = vips(root);
  if (!library) log(`no libvips for ${process.platform}-${process.arch}: rows with images will be refused`);
  // CMake's cache keeps the places of libraries that it once found: for another torch or compiler it starts anew.
  const configuredFor = JSON.stringify([torch, tools.compiler]);
  const note = path.join(folder, 'configured-for.json');
  if (existsSync(folder) && !(existsSync(note) && readFileSync(note, 'utf8') === configuredFor))
    rmSync(folder, { recursive: true });
  mkdirSync(folder, { recursive: true });
  writeFileAtomic(note, configuredFor);
  const generator = existsSync(path.join(folder, 'CMakeCache.txt')) || !tools.ninja ? [] : ['-G', 'Ninja'];
  const configure = [
    ...['-S', path.join(root, 'native'), '-B', folder, ...generator, '-DCMAKE_BUILD_TYPE=Release'],
    ...[
      `-DCMAKE_CXX_COMPILER=${tools.compiler}`,
      `-DCMAKE_PREFIX_PATH=${torch.folder}`,
      `-DTorch_DIR=${torch.folder}/share/cmake/Torch`,
    ],
    ...[
      `-DWHETSTONE_VIPS_INCLUDE=${include}`,
      `-DWHETSTONE_VIPS_LIBRARY=${library}`,
      `-DWHETSTONE_TESTS=${tests ? 'ON' : 'OFF'}`,
    ],
  ];
  const jobs = environment['CMAKE_BUILD_PARALLEL_LEVEL'] ?? String(parallelJobs());
  const steps = [
    { what: 'configure', args: configure },
    {
      what: 'build',
      args: ['--build', folder, '--parallel', jobs, ...(tests ? [] : ['--target', 'whetstone-trainer'])],
    },
  ];
  let told = Date.now();
  for (const { what, args } of steps) {
    log(
      what === 'configure'
        ? `configuring the trainer (torch ${torch.version} in ${torch.folder})`
        : 'building the trainer (some minutes, once)',
    );
    const { code, output } = await runLogged(tools.cmake, args, environment, logFile, (line) => {
      const progress = /^\[\s*(\d+\/\d+|\d+%)\]/.exec(line)?.[1];
      if (progress && Date.now() - told > 5000) {
        told = Date.now();
        log(`  ${progress}`);
      }
    });
    if (code !== 0) {
      const tail = output.trimEnd().split('\n').slice(-30).join('\n');
      throw new AppError(
        'trainer-build-failed',
        `could not ${what} the trainer (cmake ended with code ${code}). The last lines:\n${tail}`,
        `All of it is in ${logFile}. If the compiler was killed, memory ran out: set CMAKE_BUILD_PARALLEL_LEVEL=1 or close programs, then run this again.`,
      );
    }
  }
}

/** Waits for the one that builds, with a line every while, then has the lock. */
async function lockBuild(root: string, log: (line: string) => void): Promise<{ release: () => void }> {
  const { tryExclusiveLock } = await import('../../main/store/exclusive-lock.ts');
  const file = path.join(stateFolder(root), 'build.lock');
  for (let waited = 0; ; waited += 1) {
    const lock = tryExclusiveLock(file);
    if (lock) return lock;
    if (waited % 60 === 0) log('another process is building the trainer: waiting for it');
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** The built trainer, built now if it has to be. Throws AppError that says what is missing or went wrong. */
export async function ensureTrainer(options: SetupOptions): Promise<Trainer> {
  const { log, tests = false, root = projectFolder, environment = process.env } = options;
  const known = remembered(root);
  if (known && stillBuilt(root, known, environment, tests)) return { binary: trainerBinary(root), torch: known.torch };

  mkdirSync(stateFolder(root), { recursive: true });
  const lock = await lockBuild(root, log);
  try {
    const meanwhile = remembered(root);
    if (meanwhile && stillBuilt(root, meanwhile, environment, tests))
      return { binary: trainerBinary(root), torch: meanwhile.torch };
    const tools = findTools(environment);
    const torch = await findTorch(tools.python, stateFolder(root), environment, log);
    const started = Date.now();
    const before = fingerprint(root, torch, tools, tests);
    const trainerBefore = fingerprint(root, torch, tools, false);
    await build(root, torch, tools, tests, options);
    const binary = trainerBinary(root);
    if (!existsSync(binary)) throw new Error(`the build ended well, yet ${binary} is not there`);
    const state: Remembered = {
      version: 1,
      torch,
      tools,
      trainer: trainerBefore,
      tests: tests ? before : null,
    };
    writeFileAtomic(path.join(stateFolder(root), 'setup.json'), `${JSON.stringify(state, null, 2)}\n`);
    log(`the trainer is built (${Math.round((Date.now() - started) / 1000)} s): ${binary}`);
    return { binary, torch };
  } finally {
    lock.release();
  }
}
