/** Which Chromium the tests run in: the machine's own, else the one that Playwright fetched. */
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Throws, with what to install, where there is none: tests without a browser would look green and say nothing. */
export function findChromium(): string {
  const named = process.env['CHROMIUM'];
  if (named !== undefined) {
    if (existsSync(named)) return named;
    throw new Error(`CHROMIUM is ${named}, and no program is there`);
  }
  const found = [...places, chromium.executablePath()].find((file) => file !== '' && existsSync(file));
  if (found !== undefined) return found;
  throw new Error(
    'the tests of the window need a Chromium: install the package chromium (apt install chromium), or run ' +
      '`npx playwright-core install chromium`, or name one in CHROMIUM',
  );
}

/** Same pictures everywhere, nothing asked of the network. As root Chromium runs without its sandbox or not at all. */
export const chromiumFlags: readonly string[] = [
  ...['--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update'],
  ...['--disable-sync', '--disable-quic', '--force-color-profile=srgb'],
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
];
