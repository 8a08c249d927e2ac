/** Builds what the desktop app is made of, as Forge would: main process, preload script, window. In processes of their own, without the test runner's environment. */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './product.ts';

/** This process's environment without what the test runner put into it: NODE_ENV alone would give another build of React. */
export function plainEnvironment(extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|VITE_|NODE_ENV$|NODE_OPTIONS$|TEST$|MODE$|DEV$|PROD$|SSR$|BASE_URL$)/.test(name),
  );
  return { ...Object.fromEntries(kept), ...extra };
}

/** Runs a program of the project's to its end. Rejects with all that it said when it fails. */
export function runTool(args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd: string = ROOT): Promise<string> {
  return new Promise((resolve, reject) => {
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    const child = spawn(process.execPath, [...args], { cwd, env: plainEnvironment(env), stdio: [...stdio] });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(said);
      else reject(new Error(`node ${args.join(' ')} ended with ${code}:\n${said}`));
    });
  });
}

const vite = path.join(ROOT, 'node_modules/vite/bin/vite.js');
let built: Promise<void> | undefined;

/** Once for each process that runs tests. */
export function buildApp(): Promise<void> {
  return (built ??= (async () => {
    rmSync(path.join(ROOT, '.vite/build'), { recursive: true, force: true });
    await runTool([vite, 'build', '-c', 'vite.main.config.ts']);
    await runTool([vite, 'build', '-c', 'vite.preload.config.ts']);
    await buildRenderer();
  })());
}

export async function buildRenderer(): Promise<void> {
  await runTool(['tools/build-window.ts']);
}
