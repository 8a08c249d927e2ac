/**
 * Takes the pictures of docs/screens: every screen and state of the window over `whetstone serve`, in both themes, with the real trainer and the demo's model and
 * rows. Each page is looked at by axe-core as it is pictured; a violation or an error of the page fails the command.
 *
 * node e2e/screens.ts [--data FOLDER] [--only WORD,WORD]
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import sharp from 'sharp';
import { axeViolations } from './axe.ts';
import { buildRenderer } from './build-app.ts';
import { chromiumFlags, findChromium } from '../tools/chromium.ts';
import { DEMO_MODEL, DEMO_ROWS, execute, ROOT } from './product.ts';
import { makeScreensHistory } from './screens-history.ts';
import { endServe, openDouble, startServe } from './targets.ts';

const target = path.join(ROOT, 'docs/screens');
const { values } = parseArgs({ options: { data: { type: 'string' }, only: { type: 'string' } } });
const only = values.only?.split(',');
const folder = values.data ?? mkdtempSync(path.join(os.tmpdir(), 'whetstone-screens-'));
const data = path.join(folder, 'data');
const minute = 60_000;
const faults: string[] = [];

const browser = await chromium.launch({
  executablePath: findChromium(),
  args: [...chromiumFlags],
  chromiumSandbox: process.getuid?.() !== 0,
});
let page: Page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
page.on('pageerror', (error) => faults.push(`error of the page: ${String(error)}`));

const wanted = (name: string): boolean => !only || only.some((word) => name.startsWith(word));

/** Both themes at 1440 x 900; `small`: at 1280 x 800 too. */
async function picture(name: string, { small = false } = {}): Promise<void> {
  if (!wanted(name)) return;
  // What the mouse is over looks like it.
  await page.mouse.move(720, 896);
  for (const theme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    for (const [width, height] of small
      ? ([
          [1440, 900],
          [1280, 800],
        ] as const)
      : ([[1440, 900]] as const)) {
      // prettier-ignore
      await page.setViewportSize({ width, height });
      await page.evaluate(() => document.fonts.ready.then(() => undefined));
      await page.waitForTimeout(350);
      const file = path.join(target, `${name}-${theme}${width === 1440 ? '' : `-${width}`}.png`);
      await sharp(await page.screenshot()).png({ palette: true, colours: 128, dither: 0, effort: 8 }).toFile(file); // prettier-ignore
    }
    for (const line of await axeViolations(page)) faults.push(`${name}, ${theme}: ${line}`);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  process.stdout.write(`${name}\n`);
}

/** The command line on the same history, in the background of the window. */
async function train(name: string, ...flags: string[]): Promise<void> {
  const command = [process.execPath, path.join(ROOT, 'main/cli/main.ts'), 'run', 'webmix', '--adapter', 'rest'];
  command.push('--model', DEMO_MODEL, '--rows-dir', DEMO_ROWS, '--grad-accum', '4', '--dtype', 'float32');
  command.push('--threads', '1', '--no-recompute', '--name', name, ...flags);
  await execute(command, { ...process.env, WHETSTONE_DATA: data, NO_COLOR: '1' }, folder);
}

const heading = (words: string | RegExp): Promise<void> => page.locator('h1').first().getByText(words).waitFor();
/** By the window's own links: a reload would ask for the token again and forget what was read. */
const visit = (address: string): Promise<void> =>
  page.evaluate((to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
  }, address);
const place = (name: string): Promise<void> =>
  page.locator('header').getByRole('link', { name, exact: true }).first().click();
const openRun = async (name: string): Promise<void> => {
  await place('Runs');
  await page.getByRole('link', { name, exact: true }).click();
  await heading(name);
  await page.waitForTimeout(1200);
};
const ledger = page.getByRole('complementary', { name: 'What this launches' });
const counted = (): Promise<void> => ledger.getByText(/optimizer steps/i).waitFor({ timeout: minute });

await buildRenderer();
mkdirSync(target, { recursive: true });

// Before the first run.
const empty = await startServe({ ...process.env, WHETSTONE_DATA: path.join(folder, 'empty') });
await page.goto(empty.url);
await page.getByRole('row', { name: /trainer/ }).waitFor({ timeout: minute });
await picture('first-start');
await visit('/states');
await heading('States');
await picture('states');
await page.goto(`${new URL(empty.url).origin}/runs`);
await page.goto('about:blank');
await page.goto(empty.url.replace(/token=.*/, 'token=not-the-token-that-serve-printed-just-now-00'));
await heading('not let in');
await picture('refused');
await endServe(empty.child);

// Real runs are kept where --data names a folder that has them.
if (!existsSync(data)) {
  makeScreensHistory(data, Date.now() / 1000);
  for (const lr of ['1e-3', '3e-3'])
    await train(`demo-lr${lr}`, '--lr', lr, '--max-steps', '200', '--save-every', '50');
  await train('demo-lr1e12', '--lr', '1e12', '--max-steps', '120');
}

const serve = await startServe({ ...process.env, WHETSTONE_DATA: data });
await page.goto(serve.url);
await page.getByRole('link', { name: 'demo-lr3e-3' }).waitFor({ timeout: minute });

// The form: filled, with problems, after a try.
await visit('/new');
await heading('New run');
await page.getByRole('radio', { name: 'demo' }).click();
await counted();
await picture('new-run', { small: true });
await page.getByRole('textbox', { name: 'lr', exact: true }).fill('0.1.2');
await page.getByRole('textbox', { name: 'epochs' }).fill('0');
await page.waitForTimeout(1500);
await page.locator('[data-field="rank"]').scrollIntoViewIfNeeded();
await picture('new-run-problems');
await page.getByRole('textbox', { name: 'lr', exact: true }).fill('2e-3');
await page.getByRole('textbox', { name: 'epochs' }).fill('10');
await page.getByRole('textbox', { name: 'max-steps' }).fill('1200');
await counted();
await ledger.getByRole('textbox', { name: 'name' }).fill('demo-lr2e-3-long');
await ledger.getByRole('button', { name: /^Try/ }).click();
await ledger.getByText(/the try took/i).waitFor({ timeout: 2 * minute });
await picture('new-run-tried');

// A run at work, and what is around it.
await ledger.getByRole('button', { name: /^Launch/ }).click();
await heading('demo-lr2e-3-long');
const live = await page.evaluate(() => location.pathname);
if (wanted('run-live')) await page.waitForFunction(() => /step [3-9]\d of|step \d{3,} of/.test(document.querySelector('main')?.textContent ?? ''), undefined, { timeout: 4 * minute }); // prettier-ignore
await picture('run-live', { small: true });
await page.keyboard.press('s');
await page.getByRole('dialog').waitFor();
await picture('run-stop');
await page.keyboard.press('Escape');
await place('Runs');
for (const name of ['demo-lr1e-3', 'demo-lr3e-3'])
  await page.getByRole('checkbox', { name: `Compare ${name}` }).click();
await picture('runs', { small: true });
await page.keyboard.press('?');
await page.getByRole('dialog').waitFor();
await picture('keys');
await page.keyboard.press('Escape');
await page.keyboard.press('Control+k');
await page.keyboard.type('demo');
await page.waitForTimeout(300);
await picture('find');
await page.keyboard.press('Escape');
await page.getByRole('button', { name: /^Compare/ }).click();
await heading('Compare');
await page.waitForTimeout(1200);
await picture('compare', { small: true });

// Runs that are over, the bad ends first.
await openRun('pooled-v5-lr2e-4');
await picture('run-failed');
await openRun('demo-lr1e12');
await picture('run-not-finite');
await openRun('reasoning-b0.3');
await picture('run-stopped');
await openRun('select-b0.3-3ep');
await picture('run-interrupted');
await openRun('demo-lr1e-3');
await picture('run-done');
await page.keyboard.press('l');
await page.getByRole('dialog').waitFor();
await page.waitForTimeout(500);
await picture('log');
await page.keyboard.press('Escape');

// Rows of the demo.
await place('Rows');
await page.getByRole('link', { name: /demo\/rows/ }).or(page.getByRole('button', { name: /demo\/rows/ })).first().waitFor(); // prettier-ignore
await picture('pools');
await page.getByRole('link', { name: /demo\/rows/ }).or(page.getByRole('button', { name: /demo\/rows/ })).first().click(); // prettier-ignore
await page.getByRole('table', { name: 'Rows' }).waitFor({ timeout: minute });
await page.waitForTimeout(500);
await picture('rows');
const pool = await page.evaluate(() => location.pathname);
const row = async (at: string, model: string | null): Promise<void> => {
  await visit(`${pool}/${at}${model === null ? '' : `?model=${encodeURIComponent(model)}`}`);
  await page.getByRole('region', { name: 'Screenshot' }).locator('img').waitFor({ timeout: minute });
  if (model !== null) await page.getByRole('listbox', { name: 'Tokens' }).getByRole('option').first().waitFor({ timeout: minute }); // prettier-ignore
  await page.waitForTimeout(400);
};
await row('map-slider-001/2', DEMO_MODEL);
await picture('row', { small: true });
await row('cheapest-001/1', DEMO_MODEL);
await picture('row-fallback');
await visit(`${pool}/map-slider-001/2?model=${encodeURIComponent('/models/none')}`);
await page.getByText('not tokenised').waitFor({ timeout: minute });
await picture('row-without-model');
await place('Machine');
await page.getByRole('row', { name: /trainer/ }).waitFor();
await picture('machine');

// The main process goes away under a run at work.
await visit(live);
await heading('demo-lr2e-3-long');
await page.waitForTimeout(1500);
await endServe(serve.child);
await page.getByText(/lost the main process/i).waitFor();
await picture('lost');

// Another app has the history.
if (wanted('history-problem')) {
  const holder = await startServe({ ...process.env, WHETSTONE_DATA: data });
  const second = await openDouble({ dataFolder: data });
  page = second.page;
  await heading('history');
  await picture('history-problem');
  await second.close();
  await endServe(holder.child);
}
await execute([process.execPath, path.join(ROOT, 'main/cli/main.ts'), 'stop', '--kill', path.basename(live)], { ...process.env, WHETSTONE_DATA: data }, folder); // prettier-ignore
await browser.close();
if (values.data === undefined) rmSync(folder, { recursive: true, force: true });
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length > 0 ? 1 : 0;
