/** The product as its user has it: the command line in a process of its own, the demo's rows and model, a data folder that is thrown away. */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export const ROOT = path.join(import.meta.dirname, '..');
export const DEMO_MODEL = path.join(ROOT, 'demo/model');
export const DEMO_ROWS = path.join(ROOT, 'demo/rows');

export interface Finished {
  status: number | null;
  stdout: string;
  stderr: string;
}

export class Product {
  /** Everything that one test makes lies below here. */
  readonly folder: string;
  readonly data: string;

  constructor() {
    this.folder = mkdtempSync(path.join(os.tmpdir(), 'whetstone-e2e-'));
    this.data = path.join(this.folder, 'data');
  }

  environment(extra: Record<string, string> = {}): NodeJS.ProcessEnv {
    return { ...process.env, WHETSTONE_DATA: this.data, NO_COLOR: '1', ...extra };
  }

  /** `wrap` puts another program in front (unshare, for disks that are full or read-only). */
  run(
    args: readonly string[],
    options: { env?: Record<string, string>; wrap?: readonly string[] } = {},
  ): Promise<Finished> {
    const whole = [...(options.wrap ?? []), process.execPath, path.join(ROOT, 'main/cli/main.ts'), ...args];
    return execute(whole, this.environment(options.env), this.folder);
  }

  trainer(args: readonly string[], options: { wrap?: readonly string[] } = {}): Promise<Finished> {
    const binary = process.env['WHETSTONE_TRAINER'] ?? path.join(ROOT, '.whetstone/build/whetstone-trainer');
    return execute([...(options.wrap ?? []), binary, ...args], this.environment(), this.folder);
  }

  /** A copy of the demo's rows, cut down to the episodes whose name the filter takes. */
  copyRows(name: string, take: (episode: string) => boolean = () => true): string {
    const target = path.join(this.folder, name);
    cpSync(DEMO_ROWS, target, {
      recursive: true,
      filter: (source) => source === DEMO_ROWS || take(path.relative(DEMO_ROWS, source).split(path.sep)[0] ?? ''),
    });
    return target;
  }

  copyModel(name: string): string {
    const target = path.join(this.folder, name);
    cpSync(DEMO_MODEL, target, { recursive: true });
    return target;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function execute(command: readonly string[], env: NodeJS.ProcessEnv, cwd: string): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const [program, ...args] = command;
    if (program === undefined) throw new Error('no program');
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, stdout, stderr }));
  });
}

/** Whether this user may make a mount namespace: what the tests with full and read-only disks need. */
export function mayUnshare(): boolean {
  return spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;
}
