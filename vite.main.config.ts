/** The main process and its worker threads, one file each beside what they share. */
import { defineConfig } from 'vite';
import { threadSources } from './main/threads/entry.ts';
import { nodeBundle } from './vite.node.ts';

// Sources are named as main/threads/entry.ts sees them.
const threads = Object.entries(threadSources).map(([name, source]) => [
  `thread-${name}`,
  new URL(source, new URL('main/threads/entry.ts', `file://${import.meta.dirname}/`)).pathname,
]);

// Forge defines the address of its development server; elsewhere there is none.
const withoutForge = { MAIN_WINDOW_VITE_DEV_SERVER_URL: 'undefined', MAIN_WINDOW_VITE_NAME: '"main_window"' };

export default defineConfig((environment) =>
  nodeBundle(
    { main: 'electron/main.ts', ...Object.fromEntries(threads) },
    'forgeConfig' in environment ? {} : withoutForge,
  ),
);
