/** How busy the machine is: measurements of a window mean little beside other work. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const ticksPerSecond = process.platform === 'linux' ? Number(execFileSync('getconf', ['CLK_TCK'])) : 100;

/** Milliseconds of processor time that `pid` has had; NaN where the system does not say. */
export function processorMs(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond;
  } catch {
    return Number.NaN;
  }
}

/** Share of all cores that was busy, over the time between two looks. */
function busyNow(): { busy: number; all: number } {
  const times = os.cpus().map((cpu) => cpu.times);
  const idle = times.reduce((sum, each) => sum + each.idle, 0);
  const all = times.reduce((sum, each) => sum + each.user + each.nice + each.sys + each.irq + each.idle, 0);
  return { busy: all - idle, all };
}

/** Share of the machine that others use, 0 to 1, over a second in which this process only waits. */
export async function othersBusy(): Promise<number> {
  const before = busyNow();
  await sleep(1000);
  const after = busyNow();
  return (after.busy - before.busy) / Math.max(1, after.all - before.all);
}

/** Waits until others use little of the machine, for `mostMs` at most; gives the share at the end. */
export async function untilQuiet(mostMs: number, wanted = 0.15): Promise<number> {
  const until = performance.now() + mostMs;
  let share = await othersBusy();
  while (share > wanted && performance.now() < until) {
    await sleep(2000);
    share = await othersBusy();
  }
  return share;
}
