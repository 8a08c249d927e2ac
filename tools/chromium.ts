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

/** What to do where there is none. */
export const chromiumAdvice =
  'the tests of the window need a Chromium: install the package chromium (apt install chromium), or run ' +
  '`npx playwright-core install chromium`, or name one in CHROMIUM';

export function chromiumOrNone(): string | undefined {
  const named = process.env['CHROMIUM'];
  if (named !== undefined) {
    if (existsSync(named)) return named;
    throw new Error(`CHROMIUM is ${named}, and no program is there`);
  }
  return [...places, chromium.executablePath()].find((file) => file !== '' && existsSync(file));
}

/** Throws, with what to install, where there is none. */
export function findChromium(): string {
  const found = chromiumOrNone();
  if (found === undefined) throw new Error(chromiumAdvice);
  return found;
}

/**
 * Set by `npm test` where no Chromium is there and none can be fetched: the tests of the window are then skipped, and named as skipped. Run by themselves
 * they fail instead, since a test that quietly does nothing looks green.
 */
export const withoutChromium = process.env['WHETSTONE_WITHOUT_CHROMIUM'] === '1';

/** Same pictures everywhere, nothing asked of the network. As root Chromium runs without its sandbox or not at all. */
export const chromiumFlags: readonly string[] = [
  ...['--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update'],
  ...['--disable-sync', '--disable-quic', '--force-color-profile=srgb'],
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
];
