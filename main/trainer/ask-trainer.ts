/** Short questions to the native trainer (try, describe, decode): JSON in, JSON out. Its errors come back as ours, with their hints. */
import { spawn } from 'node:child_process';
import { AppError } from '../contract/errors.ts';
import type { Environment } from '../paths.ts';
import { trainerEnvironment } from './environment.ts';
import { locateTrainer } from './spawn.ts';

export interface AskOptions {
  environment?: Environment;
  /** Goes to its standard input. */
  input?: string;
  signal?: AbortSignal;
}

/** Standard output of `whetstone-trainer` with `args`. Throws AppError with what it said on standard error. */
export async function askTrainer(args: readonly string[], options: AskOptions = {}): Promise<string> {
  const { environment = process.env, input = '', signal } = options;
  const binary = locateTrainer(environment);
  const child = spawn(binary, args, {
    env: trainerEnvironment(environment),
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(signal ? { signal } : {}),
  });
  let answer = '';
  let complaint = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (complaint += chunk));
  // A process that ends without reading its input closes the pipe; what it said counts.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const code = await new Promise<number | string>((resolve, reject) => {
    child.on('error', (error) =>
      reject(
        signal?.aborted
          ? (signal.reason as Error)
          : new AppError(
              'trainer-not-started',
              `cannot start ${binary}: ${error.message}`,
              'Build it anew with: npm run setup',
              { cause: error },
            ),
      ),
    );
    child.on('close', (status, name) => resolve(status ?? name ?? 1));
  });
  if (code === 0) return answer;
  const said = /^error: ([\s\S]*?)(?:\nhint: ([\s\S]*?))?\s*$/m.exec(complaint);
  throw new AppError(
    'trainer-refused',
    said?.[1] ??
      `whetstone-trainer ${args[0] ?? ''} ended with ${code}${complaint ? `:\n${complaint.trim().slice(-2000)}` : ''}`,
    said?.[2],
  );
}
