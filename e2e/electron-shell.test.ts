/**
 * The desktop shell: the app's own main process, preload script and window, built as Forge builds them. Under the double of Electron always; with the real
 * one, as far as a page can tell, where its binary is.
 */
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withoutChromium } from '../tools/chromium.ts';
import { askFrom, bridgeTests, callFrom } from './bridge-tests.ts';
import { spawnDouble } from './double.ts';
import { ROOT } from './product.ts';
import { electronBinary, openDouble, openElectron, type DoubleTarget, type Target } from './targets.ts';

const wait = { timeout: 10_000, interval: 50 };

describe.skipIf(withoutChromium)('electron double: the shell', () => {
  let app: DoubleTarget;
  const errors: string[] = [];
  beforeAll(async () => {
    app = await openDouble();
    app.page.on('pageerror', (error) => errors.push(String(error)));
  });
  afterAll(() => app.close());
  const pathname = (): Promise<string> => app.page.evaluate(() => location.pathname + location.search);

  bridgeTests(() => app.page, path.join(ROOT, 'demo'));

  test('draws the window, without a fault in it', async () => {
    await app.page.locator('h1').first().waitFor();
    expect(errors).toEqual([]);
  });

  test('the window is sandboxed, and has the background of its theme before the page is there', async () => {
    const [options] = (await app.double.calls('BrowserWindow'))[0] as [Record<string, any>];
    expect(options['webPreferences']).toMatchObject({ contextIsolation: true, sandbox: true, nodeIntegration: false });
    const tokens = readFileSync(path.join(ROOT, 'renderer/styles/tokens.css'), 'utf8');
    const background = /--bg-0: light-dark\((#\w+), (#\w+)\)/.exec(tokens)!;
    expect(options['backgroundColor']).toBe(background[1]);
    const source = readFileSync(path.join(ROOT, 'electron/window.ts'), 'utf8');
    expect(source).toContain(`dark: '${background[2]}'`);
  });

  test('only our page, in the main frame, on the one channel is answered', async () => {
    const ask = (channel: string, url: string, main = true) =>
      app.double.control('invoke', { channel, args: ['app.info', {}], url, main });
    expect(await ask('whetstone:call', 'app://whetstone/runs')).toMatchObject({ ok: true });
    for (const [url, main] of [
      ['https://evil.example/', true],
      ['app://whetstone.evil.example/', true],
      ['app://other/', true],
      ['file:///tmp/page.html', true],
      ['', true],
      ['app://whetstone/runs', false],
    ] as const)
      expect(await ask('whetstone:call', url, main), `${url} ${main}`).toMatchObject({
        ok: false,
        error: { code: 'wrong-sender' },
      });
    await expect(ask('whetstone:other', 'app://whetstone/runs')).rejects.toThrow('No handler registered');
  });

  test('the content security policy is in effect', async () => {
    const { page } = app;
    const inline = await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'globalThis.ranInline = true';
      document.head.append(script);
      return (globalThis as Record<string, unknown>)['ranInline'];
    });
    expect(inline).toBeUndefined();
    const outside = await page.evaluate(() =>
      fetch('http://127.0.0.1:9/').then(
        () => 'fetched',
        () => 'refused',
      ),
    );
    expect(outside).toBe('refused');
    const response = await page.evaluate(() => fetch('/').then((r) => r.headers.get('content-security-policy')));
    expect(response).toContain("default-src 'self'");
    expect(response).not.toContain('unsafe');
  });

  test('gives files that are there, the window for its addresses, and nothing else', async () => {
    const ask = (address: string, method = 'GET') =>
      app.page.evaluate(
        async ([url, verb]) => {
          const response = await fetch(url, { method: verb });
          return [response.status, response.headers.get('content-type'), (await response.text()).includes('id="root"')];
        },
        [address, method] as const,
      );
    const index = readFileSync(path.join(ROOT, 'dist/renderer/index.html'), 'utf8');
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(index)![1]!;
    expect(await ask(script)).toEqual([200, 'text/javascript; charset=utf-8', expect.any(Boolean)]);
    expect(await ask('/rows/ab12cd34/episode.v2/6')).toEqual([200, 'text/html; charset=utf-8', true]);
    for (const missing of ['/assets/none.js', '/main.tsx', '/..%2f..%2fpackage.json', '/%2e%2e/package.json'])
      expect((await ask(missing)).slice(0, 1), missing).toEqual([404]);
    expect((await ask('/%ff'))[0]).toBe(400);
    expect((await ask('/runs', 'POST'))[0]).toBe(405);
  });

  test('links to the web open in the browser, nothing else opens or navigates', async () => {
    const { page, double } = app;
    const before = await pathname();
    await page.evaluate(() => {
      window.open('https://example.com/docs');
      window.open('http://127.0.0.1:9/');
    });
    await expect.poll(() => double.calls('window.open'), wait).toHaveLength(2);
    expect((await double.calls('window.open')).map(([, action]) => action)).toEqual(['deny', 'deny']);
    expect(await double.calls('shell.openExternal')).toEqual([['https://example.com/docs']]);
    await expect.poll(() => page.context().pages().length, wait).toBeLessThanOrEqual(2);
    await page.evaluate(() => {
      location.href = 'http://127.0.0.1:9/elsewhere';
    });
    await expect.poll(() => double.calls('navigation refused'), wait).toEqual([['http://127.0.0.1:9/elsewhere']]);
    expect(await pathname()).toBe(before);
    expect(await callFrom(page, 'app.info', {})).toMatchObject({ ok: true });
  });

  test('the page may write to the clipboard, and nothing else', async () => {
    const granted = (permission: string, url = 'app://whetstone/runs') =>
      app.double.control('permission', { permission, url });
    expect(await granted('clipboard-sanitized-write')).toBe(true);
    expect(await granted('clipboard-sanitized-write', 'https://evil.example/')).toBe(false);
    for (const permission of ['media', 'geolocation', 'notifications', 'clipboard-read', 'openExternal', 'hid'])
      expect(await granted(permission), permission).toBe(false);
  });

  test("asks for a folder in the system's dialog", async () => {
    const pick = () => askFrom(app.page, 'folders.pick', { title: 'Rows folder', from: '/data' });
    await app.double.control('answer', { canceled: false, filePaths: ['/data/rows'] });
    expect(await pick()).toBe('/data/rows');
    await app.double.control('answer', { canceled: true, filePaths: [] });
    expect(await pick()).toBeNull();
    expect((await app.double.calls('dialog.showOpenDialog'))[0]).toEqual([
      expect.objectContaining({ title: 'Rows folder', defaultPath: '/data', properties: ['openDirectory'] }),
    ]);
  });

  test('a link moves the window without loading it again; links to elsewhere do not', async () => {
    await app.page.evaluate(() => ((globalThis as Record<string, unknown>)['mark'] = 1));
    await app.double.control('openUrl', 'whetstone://machine');
    await expect.poll(pathname, wait).toBe('/machine');
    await app.double.control('openUrl', 'whetstone://elsewhere/x');
    expect(await pathname()).toBe('/machine');
    expect(await app.page.evaluate(() => (globalThis as Record<string, unknown>)['mark'])).toBe(1);
    await app.page.goBack();
    expect(await pathname()).not.toBe('/machine');
  });

  test('a second start brings the first window to the front, at its link, and ends', async () => {
    const focused = (await app.double.calls('focus')).length;
    const scratch = mkdtempSync(path.join(os.tmpdir(), 'whetstone-second-'));
    try {
      const second = spawnDouble({ dataFolder: app.dataFolder, scratch, args: ['whetstone://runs?sort=-started'] });
      expect(await once(second, 'exit')).toEqual([0, null]);
      await expect.poll(pathname, wait).toBe('/runs?sort=-started');
      expect((await app.double.calls('focus')).length).toBe(focused + 1);
      expect((await app.double.calls('BrowserWindow')).length).toBe(1);
    } finally {
      rmSync(scratch, { recursive: true });
    }
  });

  test('says that runs go on when the window dies, and opens it again', async () => {
    await app.double.control('answer', { response: 0 });
    await app.double.control('crash', 'oom');
    await expect.poll(() => app.double.calls('webContents.reload'), wait).toHaveLength(1);
    const [[said]] = (await app.double.calls('dialog.showMessageBox')) as [[{ detail: string }]];
    expect(said.detail).toContain('Runs are not affected');
    await expect.poll(() => callFrom(app.page, 'app.info', {}).catch(() => null), wait).toMatchObject({ ok: true });
  });

  test('the menu has the usual entries and says that runs go on', async () => {
    const [[menu]] = (await app.double.calls('Menu.setApplicationMenu')) as [[any[]]];
    const entries = JSON.stringify(menu);
    for (const role of ['editMenu', 'windowMenu', 'reload', 'zoomIn']) expect(entries).toContain(`"role":"${role}"`);
    expect(entries).toContain('Quit (runs go on)');
  });

  test('opens where and how large it was, after an orderly end', async () => {
    await app.double.control('setBounds', { x: 33, y: 44, width: 1301, height: 799 });
    expect(await app.double.quit()).toBe(0);
    await app.restart();
    const [options] = (await app.double.calls('BrowserWindow'))[0] as [Record<string, any>];
    expect(options).toMatchObject({ x: 33, y: 44, width: 1301, height: 799 });
    expect(await callFrom(app.page, 'app.info', {})).toMatchObject({ ok: true });
  });
});

describe.skipIf(withoutChromium)('electron double: starts that do not go well', () => {
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'whetstone-starts-'));
  afterAll(() => rmSync(scratch, { recursive: true }));
  const problemOf = async (app: DoubleTarget) =>
    (await askFrom<{ historyProblem: { code: string; hint: string } | null }>(app.page, 'app.info', {})).historyProblem;

  test('a damaged history opens the window, which says so', async () => {
    const dataFolder = path.join(scratch, 'damaged');
    mkdirSync(dataFolder);
    writeFileSync(path.join(dataFolder, 'whetstone.db'), 'no database '.repeat(1000));
    const app = await openDouble({ dataFolder });
    try {
      expect(await problemOf(app)).toMatchObject({ code: 'database-damaged' });
      await app.page.getByText('the run history is damaged').first().waitFor({ timeout: 20_000 });
    } finally {
      await app.close();
    }
  });

  test('a data folder that cannot be made opens the window, which says so; its profile is elsewhere', async () => {
    writeFileSync(path.join(scratch, 'file'), '');
    const app = await openDouble({ dataFolder: path.join(scratch, 'file/data'), theme: 'dark' });
    try {
      expect(await problemOf(app)).toMatchObject({ code: 'folder-not-writable' });
      const [options] = (await app.double.calls('BrowserWindow'))[0] as [Record<string, any>];
      expect(options['backgroundColor']).toBe('#0e1113');
    } finally {
      await app.close();
    }
  });

  test('a start with a link begins there; the profile lies with the data', async () => {
    const dataFolder = path.join(scratch, 'link');
    const app = await openDouble({ dataFolder, args: ['whetstone://machine'] });
    try {
      expect(new URL(app.page.url()).pathname).toBe('/machine');
      expect(existsSync(path.join(dataFolder, 'window'))).toBe(true);
    } finally {
      await app.close();
    }
  });
});

describe.skipIf(electronBinary() === null)('real Electron', () => {
  let app: Target;
  beforeAll(async () => {
    app = await openElectron();
  });
  afterAll(() => app.close());
  bridgeTests(() => app.page, path.join(ROOT, 'demo'));
});
