/**
 * A package, as far as it can be made without Electron: Forge's whole way with a stub in place of Electron's archive, what is in the result, and the packaged
 * main process, preload script, threads and window under the double. A stub package is not an app: nothing here says that Electron starts.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { extractAll, listPackage } from '@electron/asar';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withoutChromium } from '../tools/chromium.ts';
import { bridgeTests } from './bridge-tests.ts';
import { runTool } from './build-app.ts';
import { ROOT } from './product.ts';
import { stubNotice, writeStubElectron } from './stub-electron.ts';
import { openDouble, type DoubleTarget } from './targets.ts';

const scratch = mkdtempSync(path.join(os.tmpdir(), 'whetstone-package-'));
const out = path.join(scratch, 'out');
const folder = path.join(out, `Whetstone-linux-${process.arch}`);
const resources = path.join(folder, 'resources');
const archive = path.join(resources, 'app.asar');
const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { version: string };

// What makers of other platforms need is not here; these three make the .zip and the .deb.
const makersAreHere =
  process.platform === 'linux' &&
  ['dpkg', 'fakeroot', 'zip'].every((program) => spawnSync(program, ['--version']).error === undefined);

describe.skipIf(!makersAreHere)('a package for Linux', () => {
  let packed: string[] = [];
  let app: DoubleTarget | undefined;

  beforeAll(async () => {
    writeStubElectron(scratch);
    // Makes the zip and the .deb of what it packages first.
    const forge = path.join(ROOT, 'node_modules/@electron-forge/cli/dist/electron-forge.js');
    await runTool([forge, 'make'], { ELECTRON_ZIP_DIR: scratch, WHETSTONE_PACKAGE_DIR: out });
    packed = listPackage(archive, { isPack: false }).map((file) => file.split(path.sep).join('/'));
    // As it lies on a user's disk, but for the archive, which Node cannot read: a folder of its name.
    const plain = path.join(scratch, 'plain', 'resources');
    mkdirSync(plain, { recursive: true });
    for (const name of readdirSync(resources))
      if (name !== 'app.asar') cpSync(path.join(resources, name), path.join(plain, name), { recursive: true });
    extractAll(archive, path.join(plain, 'app.asar'));
  });
  afterAll(async () => {
    await app?.close();
    rmSync(scratch, { recursive: true, force: true });
  });

  test('holds what the app is made of', () => {
    for (const file of [
      '/package.json',
      '/.vite/build/main.cjs',
      '/.vite/build/preload.cjs',
      ...['encode', 'draft', 'rows'].map((thread) => `/.vite/build/thread-${thread}.cjs`),
      '/.vite/renderer/main_window/index.html',
      '/node_modules/better-sqlite3/lib/index.js',
      `/node_modules/better-sqlite3/prebuilds/linux-${process.arch}.node`,
      '/node_modules/tokenizers/index.js',
      `/node_modules/tokenizers/tokenizers.linux-${process.arch}-gnu.node`,
    ])
      expect(packed).toContain(file);
    expect(packed.some((file) => /^\/\.vite\/renderer\/main_window\/assets\/.*\.woff2$/.test(file))).toBe(true);
    const about = JSON.parse(readFileSync(path.join(scratch, 'plain/resources/app.asar/package.json'), 'utf8'));
    expect(about).toMatchObject({ name: 'whetstone', version, main: '.vite/build/main.cjs' });
  });

  test('holds nothing else: no sources, no tests, no other platform', () => {
    const files = packed.filter((file) => !file.startsWith('/node_modules/'));
    const strange = files.filter(
      (file) => !/^\/(package\.json|node_modules|\.vite(\/(build|renderer)(\/.*)?)?)$/.test(file),
    );
    expect(strange).toEqual([]);
    expect(
      packed.filter((file) =>
        /\.(tsx?|map|cc|cpp|hpp?|c|gyp)$|\.test\.|win32.*\.node|darwin.*\.node|musl.*\.node/.test(file),
      ),
    ).toEqual([]);
    const natives = new Set(packed.flatMap((file) => /^\/node_modules\/([^/]+)/.exec(file)?.[1] ?? []));
    expect([...natives].sort()).toEqual(['better-sqlite3', 'tokenizers']);
  });

  test('keeps native code and threads as plain files, and the demo beside the archive', () => {
    for (const file of [
      `node_modules/better-sqlite3/prebuilds/linux-${process.arch}.node`,
      `node_modules/tokenizers/tokenizers.linux-${process.arch}-gnu.node`,
      '.vite/build/thread-rows.cjs',
    ])
      expect(existsSync(path.join(`${archive}.unpacked`, file)), file).toBe(true);
    expect(readdirSync(resources).sort()).toEqual(['app.asar', 'app.asar.unpacked', 'demo', 'package.json']);
    expect(readdirSync(path.join(resources, 'demo')).sort()).toEqual(['flags.json', 'model', 'rows']);
    expect(existsSync(path.join(resources, 'demo/model/config.json'))).toBe(true);
    const bytes = [archive, `${archive}.unpacked`].map(sizeOf).reduce((sum, size) => sum + size, 0);
    // 23 MB when this was written: the tokenizer's binary is most of it.
    expect(bytes).toBeLessThan(40e6);
  });

  test('the main process has the bundle that a plain build makes', async () => {
    const plain = path.join(scratch, 'plain-build');
    const vite = path.join(ROOT, 'node_modules/vite/bin/vite.js');
    for (const config of ['vite.main.config.ts', 'vite.preload.config.ts'])
      await runTool([vite, 'build', '-c', config, '--outDir', plain]);
    const byForge = path.join(`${archive}.unpacked`, '.vite/build');
    expect(readdirSync(byForge).sort()).toEqual(readdirSync(plain).sort());
    for (const file of readdirSync(plain))
      expect(readFileSync(path.join(byForge, file)).equals(readFileSync(path.join(plain, file))), file).toBe(true);
  });

  test('the .deb has the launcher, and opens whetstone:// links', () => {
    const made = path.join(out, 'make/deb', process.arch);
    const file = path.join(made, readdirSync(made).find((name) => name.endsWith('.deb')) ?? '');
    const tree = path.join(scratch, 'deb');
    expect(spawnSync('dpkg-deb', ['-x', file, tree]).status).toBe(0);
    const desktop = readFileSync(path.join(tree, 'usr/share/applications/whetstone.desktop'), 'utf8');
    expect(desktop).toContain('Name=Whetstone');
    expect(desktop).toContain('MimeType=x-scheme-handler/whetstone');
    const launched = spawnSync(path.join(tree, 'usr/lib/whetstone/whetstone'), { encoding: 'utf8' });
    expect(launched.stderr).toContain(stubNotice);
    expect(existsSync(path.join(tree, 'usr/lib/whetstone/resources/app.asar'))).toBe(true);
  });

  test('the zip is there', () => {
    const made = path.join(out, 'make/zip/linux', process.arch);
    expect(readdirSync(made)).toEqual([`Whetstone-linux-${process.arch}-${version}.zip`]);
  });

  describe.skipIf(withoutChromium)('electron double: what is packaged', () => {
    beforeAll(async () => {
      app = await openDouble({ appFolder: path.join(scratch, 'plain/resources/app.asar') });
    });
    bridgeTests(() => app!.page, path.join(scratch, 'plain/resources/demo'));

    test('draws its window', async () => {
      await app!.page.locator('h1').first().waitFor();
    });

    test('takes whetstone:// links for itself', async () => {
      expect(await app!.double.calls('app.setAsDefaultProtocolClient')).toEqual([['whetstone']]);
    });
  });
});

function sizeOf(file: string): number {
  const stat = statSync(file);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(file).reduce((sum, name) => sum + sizeOf(path.join(file, name)), 0);
}
