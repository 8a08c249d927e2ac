/**
 * Starts the native trainer as a process of its own: its own session and process group (closing the app or the terminal does not end a run), its output
 * into files of the run folder (a pipe would end it when its reader goes), and only the part of the environment that a GPU job needs.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, closeSync, constants, existsSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../contract/errors.ts';
import type { Launch, RunFile } from '../contract/runs.ts';
import { fileError } from '../io/atomic-file.ts';
import { projectFolder, type Environment } from '../paths.ts';
import { trainerEnvironment } from './environment.ts';
import { identify } from './process-identity.ts';
import { logFile, planFile, readRunFile, writeRunFile } from './run-folder.ts';
import { withStartLock } from './start-lock.ts';

/** The program: WHETSTONE_TRAINER, else what set-up built. Throws AppError where it is not there. */
export function locateTrainer(environment: Environment = process.env, root: string = projectFolder): string {
  const named = environment['WHETSTONE_TRAINER'];
  const file = named ? path.resolve(named) : path.join(root, '.whetstone', 'build', 'whetstone-trainer');
  try {
    accessSync(file, constants.X_OK);
    return file;
  } catch (error) {
    throw named
      ? new AppError(
          'no-trainer',
          `WHETSTONE_TRAINER is ${named}, and no program is there`,
          'Correct it, or unset it.',
          { cause: error },
        )
      : new AppError('no-trainer', `the trainer is not built: ${file} is not there`, 'Build it with: npm run setup', {
          cause: error,
        });
  }
}

export interface StartOptions {
  /** Goes on from the newest resume state. */
  resume?: boolean;
  /** What the run adds to the environment. */
  added?: Environment;
  environment?: Environment;
}

export interface StartedTrainer {
  pid: number;
  launch: Launch;
  /** Exit of the process, for a caller that stays: exit code, or 128 + the number of the signal that ended it. */
  exited: Promise<number>;
  /** The handle; unreferenced, so that it does not keep this process alive. */
  child: ChildProcess;
}

/**
 * Starts the trainer on the plan in `folder` and writes the launch into run.json. Throws AppError where it cannot be started, and where it was started by
 * somebody else since `run` was read.
 */
export async function startTrainer(folder: string, run: RunFile, options: StartOptions = {}): Promise<StartedTrainer> {
  return withStartLock(folder, () => {
    refuseStarted(folder, run);
    return start(folder, run, options);
  });
}

function refuseStarted(folder: string, run: RunFile): void {
  const now = readRunFile(folder);
  if (now && now.launches.length !== run.launches.length)
    throw new AppError(
      'run-at-work',
      `the run in ${folder} was started by another window or command a moment ago`,
      'Look at it again: it shows as at work.',
    );
}

async function start(folder: string, run: RunFile, options: StartOptions): Promise<StartedTrainer> {
  const { resume = false, environment = process.env } = options;
  const binary = locateTrainer(environment);
  const args = ['train', '--plan', planFile(folder), ...(resume ? ['--resume'] : [])];
  const given = trainerEnvironment(environment, options.added);
  let output: number;
  try {
    output = openSync(logFile(folder), 'a', 0o666);
  } catch (error) {
    throw fileError(error, 'write', logFile(folder));
  }
  // Before the process, so that everything it says is later.
  const time = Date.now() / 1000;
  let child: ChildProcess;
  try {
    child = spawn(binary, args, { cwd: folder, env: given, detached: true, stdio: ['ignore', output, output] });
  } finally {
    closeSync(output);
  }
  const exited = new Promise<number>((resolve) => {
    child.on('exit', (code, signal) => resolve(signal ? 128 + signalNumber(signal) : (code ?? 1)));
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) =>
      reject(
        new AppError(
          'trainer-not-started',
          `cannot start ${binary}: ${error.message}`,
          'Build it anew with: npm run setup',
          { cause: error },
        ),
      ),
    );
  });
  child.unref();
  const { pid } = child;
  if (pid === undefined) throw new Error('a process without a number');
  const launch: Launch = {
    time,
    process: identify(pid) ?? null,
    command: [binary, ...args],
    resume,
    environment: Object.keys(given).sort(),
  };
  try {
    writeRunFile(folder, { ...run, launches: [...run.launches, launch] });
  } catch (error) {
    // Whoever asked hears that nothing was started, so nothing may go on.
    child.kill('SIGKILL');
    throw error;
  }
  return { pid, launch, exited, child };
}

function signalNumber(signal: NodeJS.Signals): number {
  const numbers: Partial<Record<NodeJS.Signals, number>> = {
    SIGHUP: 1,
    SIGINT: 2,
    SIGABRT: 6,
    SIGKILL: 9,
    SIGSEGV: 11,
    SIGTERM: 15,
  };
  return numbers[signal] ?? 0;
}

/** The end of rank 0's log: what a process said that died without a last event. */
export function logTail(folder: string, lines = 20): string {
  const file = logFile(folder);
  if (!existsSync(file)) return '';
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
}
