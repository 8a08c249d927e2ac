/** Set-up against stand-ins of the tools: small shell scripts on a PATH of their own. The real build is what `npm run setup` does in CI. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../main/contract/errors.ts';
import { ensureTrainer, trainerBinary } from './ensure-trainer.ts';
import { headerVersion, isInWindow } from './find-torch.ts';
import { findTools } from './requirements.ts';

let scratch: string;
let bin: string;
let root: string;
beforeEach(() => {
  scratch = mkdtempSync(path.join(os.tmpdir(), 'whetstone-setup-'));
  bin = path.join(scratch, 'bin');
  root = path.join(scratch, 'project');
  mkdirSync(bin);
  mkdirSync(path.join(root, 'native', 'trainer', 'src'), { recursive: true });
  writeFileSync(path.join(root, 'package.json'), '{}');
  writeFileSync(path.join(root, 'native', 'CMakeLists.txt'), 'project(x)\n');
  writeFileSync(path.join(root, 'native', 'trainer', 'src', 'main.cpp'), 'int main() {}\n');
});
afterEach(() => rmSync(scratch, { recursive: true }));

function program(name: string, body: string): void {
  writeFileSync(path.join(bin, name), `#!/bin/sh\n${body}\n`);
  chmodSync(path.join(bin, name), 0o755);
}

function fakeTorch(folder: string, version: string): string {
  const [major, minor, patch] = version.split('.');
  mkdirSync(path.join(folder, 'include/torch/headeronly'), { recursive: true });
  mkdirSync(path.join(folder, 'share/cmake/Torch'), { recursive: true });
  writeFileSync(path.join(folder, 'share/cmake/Torch/TorchConfig.cmake'), '');
  writeFileSync(path.join(folder, '__init__.py'), '');
  writeFileSync(
    path.join(folder, 'include/torch/headeronly/version.h'),
    `#define TORCH_VERSION_MAJOR ${major}\n#define TORCH_VERSION_MINOR ${minor}\n#define TORCH_VERSION_PATCH ${patch}\n`,
  );
  return folder;
}

/** A cmake that notes each call and, when it "builds", makes the program. */
function goodTools(): void {
  program('g++', '/bin/cat > /dev/null; exit 0');
  program(
    'cmake',
    `if [ "$1" = --version ]; then echo 'cmake version 3.25.1'; exit 0; fi
echo "$@" >> '${scratch}/cmake-calls'
if [ "$1" = --build ]; then echo '[1/1] Linking'; echo built > "$2/whetstone-trainer"; fi`,
  );
  program('python3', `case "$*" in *find_spec*) echo "";; *) echo "pip 24.0";; esac`);
}

const caught = async (work: () => unknown): Promise<AppError> => {
  try {
    await work();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

describe('missing tools', () => {
  it('are all named at once, with what to install', async () => {
    const error = await caught(() => findTools({ PATH: bin }));
    expect(error.code).toBe('tools-missing');
    for (const name of ['Python 3', 'C++20 compiler', 'CMake 3.18']) expect(error.message).toContain(name);
    expect(error.hint).toContain('sudo apt-get install python3 python3-pip g++ cmake');
    expect(error.hint).toContain('sudo dnf install python3 python3-pip gcc-c++ cmake');
    expect(error.hint).toContain('brew install python llvm cmake');
  });

  it('say so when one is there but does not do', async () => {
    program('g++', '/bin/cat > /dev/null; exit 1');
    program('cmake', 'echo cmake version 3.10.2');
    program('python3', 'exit 1');
    const error = await caught(() => findTools({ PATH: bin }));
    expect(error.message).toContain(`${bin}/g++ cannot compile C++20`);
    expect(error.message).toContain(`${bin}/cmake is 3.10.2`);
    expect(error.message).toContain(`pip for ${bin}/python3`);
    expect(error.hint).toContain('apt-get install python3-pip g++ cmake');
  });

  it('include Node, and a compiler that CXX names', async () => {
    goodTools();
    expect((await caught(() => findTools({ PATH: bin }, '18.19.0'))).message).toContain('this is 18.19.0');
    expect((await caught(() => findTools({ PATH: bin, CXX: 'icpx' }))).message).toContain('CXX names (icpx)');
    expect(findTools({ PATH: bin }).compiler).toBe(path.join(bin, 'g++'));
  });
});

describe('libtorch', () => {
  it('is judged by its headers', () => {
    expect(headerVersion(fakeTorch(path.join(scratch, 't'), '2.12.1'))).toBe('2.12.1');
    expect(headerVersion(scratch)).toBeUndefined();
    expect(['2.10.9', '2.11.0', '2.14.3', '2.15.0', '3.0.0'].map(isInWindow)).toEqual([
      false,
      true,
      true,
      false,
      false,
    ]);
  });

  it('named by LIBTORCH has to be one, of a version we build against', async () => {
    goodTools();
    const setUp = (LIBTORCH: string) => ensureTrainer({ log: () => {}, root, environment: { PATH: bin, LIBTORCH } });
    expect((await caught(() => setUp(scratch))).code).toBe('libtorch-not-there');
    const old = await caught(() => setUp(fakeTorch(path.join(scratch, 'old'), '2.9.1')));
    expect(old.code).toBe('libtorch-version');
    expect(old.message).toContain('torch 2.9.1; Whetstone builds against 2.11 to 2.14');
    expect(existsSync(trainerBinary(root))).toBe(false);
  });

  it("is the active Python's where that fits", async () => {
    goodTools();
    const folder = fakeTorch(path.join(scratch, 'site-packages/torch'), '2.11.0');
    program('python3', `case "$*" in *find_spec*) echo "${folder}/__init__.py";; *) echo "pip 24.0";; esac`);
    const { torch } = await ensureTrainer({ log: () => {}, root, environment: { PATH: bin } });
    expect(torch).toEqual({ folder, version: '2.11.0', origin: 'python' });
  });

  it('is fetched where the one of Python does not fit, and the output of pip is told when that fails', async () => {
    goodTools();
    const folder = fakeTorch(path.join(scratch, 'site-packages/torch'), '2.4.0');
    program(
      'python3',
      `case "$*" in *find_spec*) echo "${folder}/__init__.py";; *--version*) echo "pip 24.0";;
*) echo "$@" > '${scratch}/pip-call'; echo "ERROR: No matching distribution found" >&2; exit 1;; esac`,
    );
    const lines: string[] = [];
    const environment = { PATH: bin, WHETSTONE_PIP_ARGS: '--retries 0' };
    const error = await caught(() => ensureTrainer({ log: (line) => lines.push(line), root, environment }));
    expect(lines.join('\n')).toContain('it is 2.4.0, and Whetstone builds against 2.11 to 2.14');
    expect(error.code).toBe('torch-not-fetched');
    expect(error.message).toContain('No matching distribution found');
    expect(readFileSync(path.join(scratch, 'pip-call'), 'utf8')).toContain('--retries 0 torch==2.13.0');
    expect(existsSync(path.join(root, '.whetstone/torch'))).toBe(false);
    expect(existsSync(path.join(root, '.whetstone/torch.partial'))).toBe(false);
  });
});

describe('the build', () => {
  let environment: Record<string, string>;
  const setUp = (tests = false) => ensureTrainer({ log: () => {}, root, environment, tests });
  const cmakeCalls = (): number => readFileSync(path.join(scratch, 'cmake-calls'), 'utf8').trim().split('\n').length;
  beforeEach(() => {
    goodTools();
    environment = { PATH: bin, LIBTORCH: fakeTorch(path.join(scratch, 'torch'), '2.13.0') };
  });

  it('happens once, and again when a source changes', async () => {
    const { binary } = await setUp();
    expect(readFileSync(binary, 'utf8')).toBe('built\n');
    expect(cmakeCalls()).toBe(2);
    await setUp();
    expect(cmakeCalls()).toBe(2);
    writeFileSync(path.join(root, 'native/trainer/src/main.cpp'), 'int main() { return 1; }\n');
    await setUp();
    expect(cmakeCalls()).toBe(4);
  });

  it('makes the tests only when asked, and keeps the trainer that came with them', async () => {
    await setUp(true);
    await setUp(true);
    await setUp(false);
    expect(cmakeCalls()).toBe(2);
    mkdirSync(path.join(root, 'native/trainer/tests'));
    writeFileSync(path.join(root, 'native/trainer/tests/x_test.cpp'), '');
    await setUp(false);
    expect(cmakeCalls()).toBe(2);
    await setUp(true);
    expect(cmakeCalls()).toBe(4);
  });

  it('starts anew for another torch', async () => {
    await setUp();
    writeFileSync(path.join(root, '.whetstone/build/CMakeCache.txt'), 'old');
    environment['LIBTORCH'] = fakeTorch(path.join(scratch, 'torch-2'), '2.14.0');
    const { torch } = await setUp();
    expect(torch.version).toBe('2.14.0');
    expect(existsSync(path.join(root, '.whetstone/build/CMakeCache.txt'))).toBe(false);
  });

  it('shows the last lines of a failure and leaves no trainer', async () => {
    program(
      'cmake',
      `if [ "$1" = --version ]; then echo 'cmake version 3.25.1'; exit 0; fi
if [ "$1" = --build ]; then for i in 1 2 3 4 5 6 7 8 9; do for j in 1 2 3 4 5 6 7 8 9; do echo "line $i$j"; done; done; echo "error: no member named x" >&2; exit 2; fi`,
    );
    const error = await caught(() => setUp());
    expect(error.code).toBe('trainer-build-failed');
    expect(error.message).toContain('no member named x');
    expect(error.message).toContain('line 99');
    expect(error.message).not.toContain('line 11\n');
    expect(error.hint).toContain('build.log');
    expect(existsSync(path.join(root, '.whetstone/setup.json'))).toBe(false);
  });

  it('is not done by two at once', async () => {
    const [one, two] = await Promise.all([setUp(), setUp()]);
    expect(one).toEqual(two);
    expect(cmakeCalls()).toBe(2);
  });
});
