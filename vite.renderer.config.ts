/** How the window is built. Whole in itself: `vite build` alone gives for `whetstone serve` what Electron Forge gets for the app. */
import path from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const root = import.meta.dirname;

export default defineConfig((environment) => ({
  root: path.join(root, 'renderer'),
  base: '/',
  plugins: [react()],
  cacheDir: path.join(root, 'node_modules', '.vite-renderer'),
  build: {
    // Forge's plugin empties .vite/ whenever it starts.
    outDir:
      'forgeConfig' in environment
        ? path.join(root, '.vite', 'renderer', 'main_window')
        : path.join(root, 'dist', 'renderer'),
    emptyOutDir: true,
    // Of Electron 45, and any browser of the last year.
    target: 'chrome140',
    // Fonts stay files: `default-src 'self'` has no data: addresses in it.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
  },
}));
