/**
 * How the desktop app is started from its sources (npm start) and packaged (npm run package, npm run make). docs/desktop.md says what is in a package.
 */
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { MakerDeb } from '@electron-forge/maker-deb';
import { MakerZIP } from '@electron-forge/maker-zip';
import { VitePlugin } from '@electron-forge/plugin-vite';
import type { ForgeConfig } from '@electron-forge/shared-types';
import { nativePackages } from './vite.node.ts';

const root = import.meta.dirname;
const zipFolder = process.env['ELECTRON_ZIP_DIR'];

/** Which of a native package's files an app for `platform` and `arch` needs: no C sources, no other platform's binaries (Electron for Linux is glibc's). */
const needed: Record<(typeof nativePackages)[number], (file: string, platform: string, arch: string) => boolean> = {
  'better-sqlite3': (file, platform, arch) => file.startsWith('lib/') || file === `prebuilds/${platform}-${arch}.node`,
  tokenizers: (file, platform, arch) =>
    file === 'index.js' || new RegExp(`^tokenizers\\.${platform}-(${arch}|universal)(-gnu|-msvc)?\\.node$`).test(file),
};

async function copyNatives(appFolder: string, platform: string, arch: string): Promise<void> {
  for (const name of nativePackages) {
    const from = path.join(root, 'node_modules', name);
    const files = await readdir(from, { recursive: true, withFileTypes: true });
    const wanted = files
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(from, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
      .filter((file) => /^(package\.json|LICENSE[^/]*)$/i.test(file) || needed[name](file, platform, arch));
    if (!wanted.some((file) => file.endsWith('.node')))
      throw new Error(`${name} has no binary for ${platform} on ${arch}: no package can be made for it`);
    for (const file of wanted) await cp(path.join(from, file), path.join(appFolder, 'node_modules', name, file));
  }
}

/** What main/paths.ts calls the project's folder, beside the app's archive: plain files, since the native trainer reads the demo. */
async function copyProject(resources: string): Promise<void> {
  for (const part of ['model', 'rows', 'flags.json'])
    await cp(path.join(root, 'demo', part), path.join(resources, 'demo', part), { recursive: true });
  const about = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
  const { name, productName, version, description, license } = about;
  await mkdir(resources, { recursive: true });
  await writeFile(
    path.join(resources, 'package.json'),
    JSON.stringify({ name, productName, version, description, license }),
  );
}

const config: ForgeConfig = {
  // Beside what Vite makes, and ignored by git like it. A test packages into another folder.
  outDir: process.env['WHETSTONE_PACKAGE_DIR'] ?? 'dist/desktop',
  packagerConfig: {
    name: 'Whetstone',
    executableName: 'whetstone',
    // Folder with electron-vVERSION-PLATFORM-ARCH.zip, for machines without a way to the internet.
    ...(zipFolder === undefined ? {} : { electronZipDir: zipFolder }),
    // Plain files beside the archive: native code cannot be loaded from it, and worker threads do not depend on Electron's reading of archives.
    asar: { unpackDir: '{.vite/build,node_modules}' },
    protocols: [{ name: 'Whetstone', schemes: ['whetstone'] }],
  },
  // The native packages are Node-API with prebuilt binaries: there is nothing to rebuild.
  rebuildConfig: { onlyModules: [] },
  hooks: {
    // The plugin packs .vite/ alone.
    async packageAfterCopy(_config, appFolder, _electronVersion, platform, arch) {
      await copyNatives(appFolder, platform, arch);
      await copyProject(path.dirname(appFolder));
    },
  },
  makers: [
    new MakerZIP({}, ['linux', 'darwin', 'win32']),
    new MakerDeb(
      {
        options: {
          productName: 'Whetstone',
          genericName: 'Fine-tuning workbench',
          categories: ['Development', 'Science'],
          section: 'science',
          mimeType: ['x-scheme-handler/whetstone'],
        },
      },
      ['linux'],
    ),
  ],
  plugins: [
    new VitePlugin({
      build: [
        { entry: 'electron/main.ts', config: 'vite.main.config.ts', target: 'main' },
        { entry: 'electron/preload.ts', config: 'vite.preload.config.ts', target: 'preload' },
      ],
      renderer: [{ name: 'main_window', config: 'vite.renderer.config.ts' }],
    }),
  ],
};

export default config;
