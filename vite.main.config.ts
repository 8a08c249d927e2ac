/** The main process and its worker threads, one file each beside what they share. */
import path from 'node:path';
import { defineConfig } from 'vite';
import { threadSources } from './main/threads/entry.ts';
import { nodeBundle } from './vite.node.ts';

// Sources are named as main/threads/entry.ts sees them.
const threads = Object.fromEntries(
  Object.entries(threadSources).map(([name, source]) => [
    `thread-${name}`,
    path.resolve(import.meta.dirname, 'main/threads', source),
  ]),
);

// Forge defines the address of its development server; elsewhere there is none.
const withoutForge = { MAIN_WINDOW_VITE_DEV_SERVER_URL: 'undefined', MAIN_WINDOW_VITE_NAME: '"main_window"' };

export default defineConfig((environment) =>
  nodeBundle({ main: 'electron/main.ts', ...threads }, 'forgeConfig' in environment ? {} : withoutForge),
);
