/**
 * Who a process is. Numbers of processes are given again, so a pid is only believed together with the host, the boot and the moment the process
 * started; the trainer writes the same four into its `started` event.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import type { ProcessIdentity } from '../contract/runs.ts';

/** Identity of this boot of this machine; empty where the system has none. */
export function bootId(): string {
  try {
    if (process.platform === 'linux') return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    if (process.platform === 'darwin')
      return execFileSync('sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).trim();
  } catch {
    // Not to be had: then the start of the process has to tell.
  }
  return '';
}

export function hostName(): string {
  return os.hostname();
}

/** When process `pid` started (see ProcessIdentity), or undefined where there is no such process or only its corpse. */
export function processStart(pid: number): number | undefined {
  try {
    if (process.platform === 'linux') {
      const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The name (field 2) is in parentheses and may hold anything, parentheses too: fields count from after the last one.
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      const [state] = fields;
      if (state === 'Z' || state === 'X') return undefined;
      return Number(fields[19]);
    }
    const text = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return text ? Date.parse(text) / 1000 : undefined;
  } catch {
    return undefined;
  }
}

export function identify(pid: number): ProcessIdentity | undefined {
  const start = processStart(pid);
  return start === undefined ? undefined : { host: hostName(), bootId: bootId(), pid, processStart: start };
}

export type Liveness = 'alive' | 'gone' | 'elsewhere';

/** Whether the process that is meant still runs. `elsewhere`: it belongs to another host, so nothing can be said. */
export function liveness(identity: ProcessIdentity): Liveness {
  if (identity.host !== hostName()) return 'elsewhere';
  const boot = bootId();
  if (identity.bootId && boot && identity.bootId !== boot) return 'gone';
  return processStart(identity.pid) === identity.processStart ? 'alive' : 'gone';
}
