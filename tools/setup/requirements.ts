/**
 * The tools that a build needs, looked for on PATH. Everything that is missing is named at once, with the line that installs it: to learn of the
 * second missing tool only after installing the first is tiresome.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../../main/contract/errors.ts';
import type { Environment } from '../../main/paths.ts';

export interface Tools {
  python: string;
  compiler: string;
  cmake: string;
  /** Faster than make where it is there. */
  ninja: string | null;
}

interface Missing {
  what: string;
  why: string;
  apt: string;
  dnf: string;
  brew: string;
}

/** Full path of a program on PATH (or of a path as given), or undefined. */
export function findProgram(name: string, environment: Environment): string | undefined {
  const folders = name.includes('/') ? [''] : (environment['PATH'] ?? '').split(path.delimiter).filter(Boolean);
  for (const folder of folders) {
    const file = folder === '' ? path.resolve(name) : path.join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      if (statSync(file).isFile()) return file;
    } catch {
      // Not here.
    }
  }
  return undefined;
}

/** Standard output and error of a short command; ok is false where it cannot be started or fails. */
export function ask(program: string, args: readonly string[], environment: Environment): { ok: boolean; text: string } {
  const done = spawnSync(program, args, { env: environment, encoding: 'utf8', timeout: 60_000 });
  return { ok: done.status === 0, text: `${done.stdout}${done.stderr}`.trim() };
}

export function versionAtLeast(version: string, least: readonly number[]): boolean {
  const parts = version.split('.').map((part) => Number.parseInt(part, 10) || 0);
  for (const [position, wanted] of least.entries()) {
    const have = parts[position] ?? 0;
    if (have !== wanted) return have > wanted;
  }
  return true;
}

/** A compiler that compiles C++20 with <concepts> and <span>: versions are told in too many ways, so it is tried. */
function compilesCpp20(compiler: string, environment: Environment): boolean {
  const done = spawnSync(compiler, ['-std=c++20', '-fsyntax-only', '-x', 'c++', '-'], {
    env: environment,
    input: '#include <concepts>\n#include <span>\nstatic_assert(std::integral<int>);\n',
    timeout: 60_000,
  });
  return done.status === 0;
}

/** Finds what a build needs. `node` is the version of the running Node. Throws AppError that lists everything missing. */
export function findTools(environment: Environment, node: string = process.versions.node): Tools {
  const missing: Missing[] = [];
  if (!versionAtLeast(node, [20, 0]))
    missing.push({
      what: `Node 20 or later (this is ${node})`,
      why: 'runs Whetstone',
      apt: 'nodejs npm',
      dnf: 'nodejs npm',
      brew: 'node',
    });

  const python = findProgram('python3', environment);
  if (!python)
    missing.push({
      what: 'Python 3 (python3)',
      why: 'brings libtorch, the library that computes',
      apt: 'python3 python3-pip',
      dnf: 'python3 python3-pip',
      brew: 'python',
    });
  else if (!environment['LIBTORCH'] && !ask(python, ['-m', 'pip', '--version'], environment).ok)
    missing.push({
      what: `pip for ${python}`,
      why: 'fetches libtorch',
      apt: 'python3-pip',
      dnf: 'python3-pip',
      brew: 'python',
    });

  const named = environment['CXX'];
  const compilers = (named ? [named] : ['g++', 'clang++']).flatMap((name) => findProgram(name, environment) ?? []);
  const compiler = compilers.find((candidate) => compilesCpp20(candidate, environment));
  if (!compiler) {
    const found = compilers.length > 0 ? `; ${compilers.join(' and ')} cannot compile C++20` : '';
    missing.push({
      what: named
        ? `the C++20 compiler that CXX names (${named})${found}`
        : `a C++20 compiler (g++ 11 or clang++ 14)${found}`,
      why: 'compiles the trainer',
      apt: 'g++',
      dnf: 'gcc-c++',
      brew: 'llvm',
    });
  }

  const cmake = findProgram('cmake', environment);
  const cmakeVersion = cmake ? /version ([\d.]+)/.exec(ask(cmake, ['--version'], environment).text)?.[1] : undefined;
  if (!cmake || !cmakeVersion || !versionAtLeast(cmakeVersion, [3, 18]))
    missing.push({
      what: `CMake 3.18 or later${cmakeVersion ? ` (${cmake} is ${cmakeVersion})` : ''}`,
      why: 'builds the trainer',
      apt: 'cmake',
      dnf: 'cmake',
      brew: 'cmake',
    });

  if (missing.length > 0 || !python || !compiler || !cmake) throw missingTools(missing);
  return { python, compiler, cmake, ninja: findProgram('ninja', environment) ?? null };
}

function missingTools(missing: readonly Missing[]): AppError {
  const packages = (key: 'apt' | 'dnf' | 'brew'): string =>
    [...new Set(missing.flatMap((tool) => tool[key].split(' ')))].join(' ');
  return new AppError(
    'tools-missing',
    `the trainer cannot be built, these are missing: ${missing.map((tool) => `${tool.what}, which ${tool.why}`).join('; ')}`,
    [
      'Install them, then run this again:',
      `  Debian, Ubuntu: sudo apt-get install ${packages('apt')}`,
      `  Fedora, RHEL:   sudo dnf install ${packages('dnf')}`,
      `  macOS:          brew install ${packages('brew')}`,
    ].join('\n'),
  );
}
