/**
 * What the bundles of the main process and of the preload script have in common. Everything stands here and nothing is left to Electron Forge, so that a
 * plain `vite build -c vite.main.config.ts` (tests, CI) makes the same files as Forge does for a package.
 */
import { builtinModules } from 'node:module';
import type { UserConfig } from 'vite';

/** Packages with native code: they cannot be put into a bundle, so forge.config.ts lays them beside it. */
export const nativePackages = ['better-sqlite3', 'tokenizers'] as const;

const external = [
  ...['electron', 'electron/main', 'electron/renderer', 'electron/common'],
  ...nativePackages,
  // The native trainer decodes images; sharp is here for its libvips and in tests.
  'sharp',
  // Optional native helpers of ws.
  ...['bufferutil', 'utf-8-validate'],
  ...builtinModules.flatMap((name) => [name, `node:${name}`]),
];

/** Bundles for Node 24 (Electron 45 has the same), as CommonJS: each entry becomes `.vite/build/NAME.cjs`. */
export function nodeBundle(entry: Record<string, string>, define: Record<string, string> = {}): UserConfig {
  return {
    clearScreen: false,
    define,
    // Otherwise Vite takes the browser's build of a package.
    resolve: { conditions: ['node'], mainFields: ['module', 'jsnext:main', 'jsnext'] },
    build: {
      outDir: '.vite/build',
      // Main and preload lie in one folder.
      emptyOutDir: false,
      copyPublicDir: false,
      target: 'node24',
      // Names in stack traces that users send are worth more than kilobytes.
      minify: false,
      sourcemap: false,
      reportCompressedSize: false,
      lib: { entry, formats: ['cjs'], fileName: (_format, name) => `${name}.cjs` },
      rolldownOptions: {
        external,
        platform: 'node',
        output: { chunkFileNames: 'shared-[name].cjs' },
      },
    },
  };
}
