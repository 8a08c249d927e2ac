/**
 * Which libtorch the trainer is built against: the folder in LIBTORCH, else the active Python's torch, else a wheel that pip fetches into .whetstone/.
 * Only versions whose C++ interface we have built against are taken; one outside is an error where it was asked for, and passed over otherwise.
 */
import { spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../../main/contract/errors.ts';
import type { Environment } from '../../main/paths.ts';
import { ask, versionAtLeast } from './requirements.ts';

export interface Torch {
  /** Holds include/, lib/ and share/cmake/Torch. */
  folder: string;
  /** As its headers say, e.g. 2.13.0. */
  version: string;
  origin: 'LIBTORCH' | 'python' | 'fetched';
}

const leastVersion = [2, 11];
const beyondVersion = [2, 15];
const fetchedVersion = '2.13.0';
const windowText = '2.11 to 2.14';

type Log = (line: string) => void;

export function isInWindow(version: string): boolean {
  return versionAtLeast(version, leastVersion) && !versionAtLeast(version, beyondVersion);
}

/** Version by the headers of a torch folder, or undefined where it is none that can be built against. */
export function headerVersion(folder: string): string | undefined {
  if (!existsSync(path.join(folder, 'share/cmake/Torch/TorchConfig.cmake'))) return undefined;
  for (const header of ['include/torch/headeronly/version.h', 'include/torch/csrc/api/include/torch/version.h']) {
    const file = path.join(folder, header);
    if (!existsSync(file)) continue;
    const text = readFileSync(file, 'utf8');
    const part = (name: string): string | undefined =>
      new RegExp(`#define TORCH_VERSION_${name} (\\d+)`).exec(text)?.[1];
    const [major, minor, patch] = [part('MAJOR'), part('MINOR'), part('PATCH')];
    if (major && minor && patch) return `${major}.${minor}.${patch}`;
  }
  return undefined;
}

function fromEnvironment(value: string): Torch {
  const folder = path.resolve(value);
  const version = headerVersion(folder);
  if (!version)
    throw new AppError(
      'libtorch-not-there',
      `LIBTORCH is ${value}, and that is no libtorch: include/torch and share/cmake/Torch are not in it`,
      'Set LIBTORCH to the torch folder of a Python environment (.../site-packages/torch) or to an unpacked libtorch, or unset it.',
    );
  if (!isInWindow(version))
    throw new AppError(
      'libtorch-version',
      `LIBTORCH is ${value}, and that is torch ${version}; Whetstone builds against ${windowText}`,
      `Set LIBTORCH to one of those, or unset it: the active Python's torch is taken then, or torch ${fetchedVersion} is fetched.`,
    );
  return { folder, version, origin: 'LIBTORCH' };
}

/** The active Python's torch. Found without importing it, which takes seconds. */
function fromPython(python: string, environment: Environment, log: Log): Torch | undefined {
  const script = "import importlib.util as u; s = u.find_spec('torch'); print(s.origin if s and s.origin else '')";
  const { ok, text } = ask(python, ['-c', script], environment);
  const origin = text.split('\n').at(-1) ?? '';
  if (!ok || !origin.endsWith('__init__.py')) return undefined;
  const folder = path.dirname(origin);
  const version = headerVersion(folder);
  if (!version) {
    log(`passed over the torch of ${python}: it comes without what a C++ program needs (${folder})`);
    return undefined;
  }
  if (!isInWindow(version)) {
    log(`passed over the torch of ${python}: it is ${version}, and Whetstone builds against ${windowText}`);
    return undefined;
  }
  return { folder, version, origin: 'python' };
}

async function fetch(python: string, state: string, environment: Environment, log: Log): Promise<Torch> {
  const target = path.join(state, 'torch');
  const there = headerVersion(path.join(target, 'torch'));
  if (there && isInWindow(there)) return { folder: path.join(target, 'torch'), version: there, origin: 'fetched' };
  log(`fetching torch ${fetchedVersion} with pip into ${target} (once; 0.2 GB without CUDA, some 3 GB with it)`);
  const partial = path.join(state, 'torch.partial');
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  const extra = (environment['WHETSTONE_PIP_ARGS'] ?? '').split(/\s+/).filter(Boolean);
  const args = [
    '-m',
    'pip',
    'install',
    '--progress-bar',
    'off',
    '--target',
    partial,
    ...extra,
    `torch==${fetchedVersion}`,
  ];
  const { code, output } = await runLogged(python, args, environment, path.join(state, 'pip.log'), (line) => {
    if (/^(Collecting|Downloading|Installing|Looking)/.test(line.trim())) log(`  pip: ${line.trim().slice(0, 140)}`);
  });
  const version = code === 0 ? headerVersion(path.join(partial, 'torch')) : undefined;
  if (!version) {
    rmSync(partial, { recursive: true, force: true });
    const said = output
      .trimEnd()
      .split('\n')
      .slice(-12)
      .map((line) => `  ${line}`)
      .join('\n');
    throw new AppError(
      'torch-not-fetched',
      `pip could not fetch torch ${fetchedVersion} (exit code ${code}). It said:\n${said}`,
      `Without a way to the package index, set LIBTORCH to a torch folder (${windowText}), or activate a Python that has one.`,
    );
  }
  rmSync(target, { recursive: true, force: true });
  renameSync(partial, target);
  return { folder: path.join(target, 'torch'), version, origin: 'fetched' };
}

/** Runs a long command: whole lines go to `line`, everything to the file `logFile`, and all of it comes back. */
export async function runLogged(
  program: string,
  args: readonly string[],
  environment: Environment,
  logFile: string,
  line: Log,
): Promise<{ code: number; output: string }> {
  const file = createWriteStream(logFile);
  const child = spawn(program, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let rest = '';
  const take = (chunk: string): void => {
    file.write(chunk);
    output += chunk;
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const whole of lines) line(whole);
  };
  child.stdout.setEncoding('utf8').on('data', take);
  child.stderr.setEncoding('utf8').on('data', take);
  const code = await new Promise<number>((resolve) => {
    child.on('error', (error) => {
      take(`${error.message}\n`);
      resolve(127);
    });
    child.on('close', (status, signal) => resolve(signal ? 128 : (status ?? 1)));
  });
  await new Promise((resolve) => file.end(resolve));
  return { code, output };
}

/** `state` is the git-ignored folder that fetched things go to. Throws AppError where no libtorch can be had. */
export async function findTorch(python: string, state: string, environment: Environment, log: Log): Promise<Torch> {
  const named = environment['LIBTORCH'];
  if (named) return fromEnvironment(named);
  return fromPython(python, environment, log) ?? (await fetch(python, state, environment, log));
}
