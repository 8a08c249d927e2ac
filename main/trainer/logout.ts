/** Where a run in the background would not outlive a logout or its container, that is said before it happens. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** The setting as systemd reads it: the main file, then drop-ins by name; the last one counts. */
export function killsUserProcesses(root = '/'): boolean {
  const main = path.join(root, 'etc/systemd/logind.conf');
  const dropIns = ['usr/lib/systemd/logind.conf.d', 'etc/systemd/logind.conf.d'].flatMap((name) => {
    const folder = path.join(root, name);
    return existsSync(folder)
      ? readdirSync(folder)
          .filter((file) => file.endsWith('.conf'))
          .sort()
          .map((file) => path.join(folder, file))
      : [];
  });
  let kills = false;
  for (const file of [main, ...dropIns]) {
    if (!existsSync(file)) continue;
    for (const [, value] of readFileSync(file, 'utf8').matchAll(/^\s*KillUserProcesses\s*=\s*(\S+)/gm))
      kills = /^(yes|true|on|1)$/i.test(value ?? '');
  }
  return kills;
}

/** One line for people, or undefined where nothing is known that would end the run. */
export function logoutWarning(root = '/'): string | undefined {
  if (killsUserProcesses(root))
    return 'note: this machine ends all processes at logout (KillUserProcesses); stay logged in, or start the run under: systemd-run --user --scope';
  if (existsSync(path.join(root, '.dockerenv')) || existsSync(path.join(root, 'run/.containerenv')))
    return 'note: this is a container; the run ends when the container does';
  return undefined;
}
