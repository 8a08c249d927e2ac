/** Draws pages in Chromium, measures where their items are, and writes the screenshot as a small file. */
import { access } from 'node:fs/promises';
import { chromium } from 'playwright-core';
import type { Browser, Page as Tab } from 'playwright-core';
import sharp from 'sharp';
import { pageHtml, placed } from './page.ts';
import type { Page } from './page.ts';

const candidates = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

async function executable(): Promise<string> {
  const wanted = process.env['CHROMIUM'];
  for (const path of wanted === undefined ? candidates : [wanted]) {
    try {
      await access(path);
      return path;
    } catch {
      continue;
    }
  }
  throw new Error(
    `No Chromium found (looked for ${wanted ?? candidates.join(', ')}). Install it or set CHROMIUM to its path.`,
  );
}

export class Drawer {
  private readonly browser: Browser;
  private readonly tab: Tab;

  private constructor(browser: Browser, tab: Tab) {
    this.browser = browser;
    this.tab = tab;
  }

  static async open(): Promise<Drawer> {
    const browser = await chromium.launch({
      executablePath: await executable(),
      args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none', '--hide-scrollbars'],
    });
    return new Drawer(browser, await browser.newPage());
  }

  async close(): Promise<void> {
    await this.browser.close();
  }

  /** A lossless screenshot; sets `at` of the items whose place matters. Fails if such an item is outside the picture. */
  async draw(page: Page): Promise<Buffer> {
    await this.tab.setViewportSize({ width: page.width, height: page.height });
    await this.tab.setContent(pageHtml(page), { waitUntil: 'load' });
    const centres = await this.tab.evaluate<
      [number, number, number][]
    >(`[...document.querySelectorAll('[data-key]')].map((element) => {
      const box = element.getBoundingClientRect();
      return [Number(element.dataset.key), box.x + box.width / 2, box.y + box.height / 2];
    })`);
    for (const [key, x, y] of centres) {
      const item = page.items[key];
      if (!item || !placed.has(item.role)) continue;
      item.at = { x: Math.round((x / page.width) * 1000), y: Math.round((y / page.height) * 1000) };
      if (item.at.x < 0 || item.at.x > 1000 || item.at.y < 0 || item.at.y > 1000) {
        throw new Error(
          `"${item.label}" of "${page.title}" is drawn outside the screenshot, at ${String(item.at.x)},${String(item.at.y)}`,
        );
      }
    }
    return this.tab.screenshot({ type: 'png' });
  }
}

export type ImageKind = 'png' | 'jpg';

/** Flat pages need few colours: a palette makes the PNG a few kilobytes. */
export function compress(screenshot: Buffer, kind: ImageKind): Promise<Buffer> {
  if (kind === 'jpg') return sharp(screenshot).removeAlpha().jpeg({ quality: 55 }).toBuffer();
  return sharp(screenshot)
    .removeAlpha()
    .png({ palette: true, colours: 24, dither: 0, compressionLevel: 9, effort: 7 })
    .toBuffer();
}
