/**
 * The whole path of the first run, clicked through in Chromium with the real trainer: launch from the form, watch the chart move, stop, restart the app and
 * find the run, launch a second, overlay both, open a row and see its mask. The same test over serve, over the double of Electron, and over Electron itself
 * where its binary is.
 */
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeViolations } from './axe.ts';
import { chromiumFlags, findChromium, withoutChromium } from '../tools/chromium.ts';
import { canvasInk } from './ink.ts';
import { DEMO_ROWS, Product } from './product.ts';
import { electronBinary, endServe, openDouble, openElectron, openServe, startServe, type Target } from './targets.ts';

const targets: { name: string; open: () => Promise<Target>; here: boolean }[] = [
  { name: 'serve', open: () => openServe(), here: true },
  { name: 'electron double', open: () => openDouble(), here: true },
  { name: 'Electron', open: () => openElectron(), here: electronBinary() !== null },
];

const minute = 60_000;
const heading = (page: Page) => page.locator('h1').first();
/** Waits until `work` gives what `wanted` takes. */
async function until<T>(work: () => Promise<T>, wanted: (value: T) => boolean, timeout = minute): Promise<T> {
  const end = Date.now() + timeout;
  for (;;) {
    const value = await work();
    if (wanted(value)) return value;
    if (Date.now() > end) throw new Error(`waited ${timeout / 1000} s; the last value was ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
const mainText = (page: Page): Promise<string> => page.locator('main').innerText();
const stepsDone = async (page: Page): Promise<number> =>
  Number(/step ([\d,]+) of/.exec(await mainText(page))?.[1]?.replaceAll(',', '') ?? Number.NaN);

for (const { name, open, here } of targets)
  describe.skipIf(withoutChromium || !here)(`${name}: the path of the first run`, () => {
    let target: Target;
    const errors: string[] = [];
    const first = { name: `first-${name.replace(/\W/g, '-')}`, address: '' };
    const second = { name: `second-${name.replace(/\W/g, '-')}`, address: '' };
    const listen = (page: Page): void => void page.on('pageerror', (error) => errors.push(String(error)));
    const address = (): Promise<string> => target.page.evaluate(() => location.pathname);
    const noViolations = async (): Promise<void> => expect(await axeViolations(target.page)).toEqual([]);

    beforeAll(async () => {
      target = await open();
      listen(target.page);
    });
    afterAll(async () => {
      // What a failed test left at work would train on behind the next one.
      await stopAll(target);
      await target.close();
    });

    test('begins with what can be done, and what this machine is', async () => {
      const { page } = target;
      await page.getByRole('heading', { name: 'No runs yet' }).waitFor();
      await page.getByRole('row', { name: /trainer/ }).waitFor({ timeout: minute });
      await noViolations();
    });

    test('the form is filled by the demo, counts what it would train, and launches', async () => {
      const { page } = target;
      await page
        .locator('header')
        .getByRole('link', { name: /New run/ })
        .click();
      await heading(page).getByText('New run').waitFor();
      await page.getByRole('radio', { name: 'demo' }).click();
      const launch = page.getByRole('complementary', { name: 'What this launches' });
      // Every row of the demo's pool is accounted for, so the census is of the real rows.
      await until(
        () => launch.innerText(),
        (text) => /held out/i.test(text) && /optimizer steps/i.test(text),
      );
      await noViolations();
      await launch.getByRole('textbox', { name: 'name' }).fill(first.name);
      await until(() => launch.getByRole('button', { name: /^Launch/ }).isEnabled(), Boolean);
      await launch.getByRole('button', { name: /^Launch/ }).click();
      await heading(page).getByText(first.name).waitFor({ timeout: minute });
      first.address = await address();
      expect(first.address).toMatch(/^\/runs\/./);
    });

    test('the chart moves while the run does', async () => {
      const { page } = target;
      await until(
        () => stepsDone(page),
        (steps) => steps >= 2,
        2 * minute,
      );
      const ink = await until(
        () => canvasInk(page.locator('main')),
        ({ pixels }) => pixels > 50,
      );
      const before = await stepsDone(page);
      await until(
        () => stepsDone(page),
        (steps) => steps > before + 1,
        2 * minute,
      );
      await until(
        () => canvasInk(page.locator('main')),
        ({ shape }) => shape !== ink.shape,
      );
      expect(await mainText(page)).toContain('running');
      await noViolations();
    });

    test('a stop asks once, says what it costs, and ends with a state to go on from', async () => {
      const { page } = target;
      await page.keyboard.press('s');
      const dialog = page.getByRole('dialog');
      await dialog.waitFor();
      expect(await dialog.innerText()).toMatch(/checkpoint/i);
      await dialog.getByRole('button', { name: /^Stop/ }).click();
      await until(
        () => mainText(page),
        (text) => /\bstopped\b/.test(text),
        2 * minute,
      );
      await page
        .getByRole('button', { name: /^Resume/ })
        .first()
        .waitFor();
    });

    test('the app is started again and has the run, with its curve', async () => {
      const steps = await stepsDone(target.page);
      const page = await target.restart();
      listen(page);
      await page.getByRole('link', { name: 'Runs', exact: true }).first().click();
      await page.getByRole('link', { name: first.name }).click();
      await heading(page).getByText(first.name).waitFor();
      expect(await address()).toBe(first.address);
      expect(await stepsDone(page)).toBe(steps);
      await until(
        () => canvasInk(page.locator('main')),
        ({ pixels }) => pixels > 50,
      );
    });

    test('a second run is cloned from the first, changed, and finishes', async () => {
      const { page } = target;
      await page.getByRole('link', { name: /^Clone/ }).click();
      await heading(page).getByText('New run').waitFor();
      await page.getByRole('textbox', { name: 'max-steps' }).fill('12');
      await page.getByRole('textbox', { name: 'held-out-rows' }).fill('4');
      await page.getByRole('textbox', { name: 'lr' }).fill('2e-3');
      const launch = page.getByRole('complementary', { name: 'What this launches' });
      await launch.getByRole('textbox', { name: 'name' }).fill(second.name);
      await until(() => launch.getByRole('button', { name: /^Launch/ }).isEnabled(), Boolean);
      await page.keyboard.press('Control+Enter');
      await heading(page).getByText(second.name).waitFor({ timeout: minute });
      second.address = await address();
      expect(second.address).not.toBe(first.address);
      await until(
        () => mainText(page),
        (text) => /\bdone\b/.test(text),
        2 * minute,
      );
      expect(await mainText(page)).toContain('12 of 12 rows');
    });

    test('both lie over one another, each under its name, and their settings differ where they do', async () => {
      const { page } = target;
      await page.getByRole('link', { name: 'Runs', exact: true }).first().click();
      await page.getByRole('checkbox', { name: `Compare ${first.name}` }).click();
      await page.getByRole('checkbox', { name: `Compare ${second.name}` }).click();
      await noViolations();
      await page.keyboard.press('c');
      await heading(page).getByText('Compare').waitFor();
      const text = await until(
        () => mainText(page),
        (shown) => shown.includes(first.name) && shown.includes(second.name),
      );
      expect(text).toContain('max-steps');
      await until(
        () => canvasInk(page.locator('main')),
        ({ pixels }) => pixels > 50,
      );
      await noViolations();
    });

    test('a row shows its screenshot, its action and which tokens are supervised', async () => {
      const { page } = target;
      await page.getByRole('link', { name: 'Rows', exact: true }).first().click();
      // The pool of the two runs is offered; a filter for a row whose action has a place.
      await page
        .getByRole('link', { name: /demo\/rows/ })
        .or(page.getByRole('button', { name: /demo\/rows/ }))
        .first()
        .click();
      const rows = page.getByRole('table', { name: 'Rows' });
      await rows.waitFor({ timeout: minute });
      await noViolations();
      await rows.getByRole('row').nth(1).click();
      await page.keyboard.press('Enter');
      const image = page.getByRole('region', { name: 'Screenshot' }).locator('img');
      await image.waitFor();
      expect(await image.evaluate((each) => (each as HTMLImageElement).naturalWidth)).toBeGreaterThan(0);
      const tokens = page.getByRole('listbox', { name: 'Tokens' }).getByRole('option');
      await tokens.first().waitFor({ timeout: minute });
      const looks = await tokens.evaluateAll((all) =>
        all.map((each) => `${each.getAttribute('class') ?? ''}\t${each.textContent}`),
      );
      // Prompt, supervised and action tokens are told apart.
      expect(new Set(looks.map((look) => look.split('\t')[0])).size).toBeGreaterThanOrEqual(2);
      const shown = looks.map((look) => look.split('\t')[1]).join('');
      expect(shown.replaceAll('·', ' ')).toContain('"action"');
      await page.getByRole('radio', { name: 'action', exact: true }).click();
      const again = await tokens.evaluateAll((all) => all.map((each) => each.getAttribute('class') ?? ''));
      expect(again).not.toEqual(looks.map((look) => look.split('\t')[0]));
      await noViolations();
    });

    test('nothing went wrong in the page meanwhile', () => {
      expect(errors).toEqual([]);
    });
  });

describe.skipIf(withoutChromium)('what goes wrong says what to do', () => {
  let target: Target;
  let product: Product;
  beforeAll(async () => {
    product = new Product();
    target = await openServe();
  });
  afterAll(async () => {
    await target.close();
    product.remove();
  });

  test('a run whose folder was deleted is shown from the history and dims only itself', async () => {
    const { page, dataFolder } = target;
    const launched = await product.run(
      [
        'run',
        'webmix',
        '--adapter',
        'rest',
        '--model',
        path.join(DEMO_ROWS, '../model'),
        '--rows-dir',
        DEMO_ROWS,
      ].concat([
        '--max-steps',
        '4',
        '--grad-accum',
        '4',
        '--held-out-rows',
        '0',
        '--dtype',
        'float32',
        '--name',
        'gone',
      ]),
      { env: { WHETSTONE_DATA: dataFolder } },
    );
    expect(launched.status, launched.stderr).toBe(0);
    await page.getByRole('link', { name: 'gone' }).waitFor({ timeout: minute });
    const [id = ''] = readdirSync(path.join(dataFolder, 'runs'));
    rmSync(path.join(dataFolder, 'runs', id), { recursive: true });
    await until(
      () => mainText(page),
      (text) => /folder/i.test(text),
    );
    await page.getByRole('link', { name: 'gone' }).click();
    await until(
      () => mainText(page),
      (text) => /folder (is )?gone|deleted/i.test(text),
    );
  });
});

describe.skipIf(withoutChromium)('serve: the connection', () => {
  test('a tab says that the main process is away and since when, and is well again when it is back at the same address', async () => {
    const product = new Product();
    const environment = { WHETSTONE_DATA: product.data };
    let served = await startServe(environment, { samePort: true });
    const browser = await chromium.launch({ executablePath: findChromium(), args: [...chromiumFlags] });
    try {
      const page = await browser.newPage();
      await page.goto(served.url);
      await page.getByRole('heading', { name: 'No runs yet' }).waitFor({ timeout: minute });
      // The token is not left where somebody could read it over a shoulder, or in a history.
      expect(page.url()).not.toContain('token');
      await endServe(served.child);
      const bar = page.getByText('Window lost the main process');
      await bar.waitFor({ timeout: minute });
      expect(await axeViolations(page)).toEqual([]);
      const again = await startServe(environment, { samePort: true });
      expect(again.url).toBe(served.url);
      served = again;
      await bar.waitFor({ state: 'detached', timeout: minute });
      await page.getByText('main process connected').waitFor();
    } finally {
      await browser.close();
      await endServe(served.child);
      product.remove();
    }
  });
});

async function stopAll(target: Target): Promise<void> {
  const product = new Product();
  try {
    const env = { WHETSTONE_DATA: target.dataFolder };
    const listed = await product.run(['runs', '--json'], { env });
    const runs = listed.status === 0 ? (JSON.parse(listed.stdout) as { id: string; state: string }[]) : [];
    for (const { id, state } of runs)
      if (['preparing', 'running', 'stopping'].includes(state)) await product.run(['stop', '--kill', id], { env });
  } finally {
    product.remove();
  }
}
