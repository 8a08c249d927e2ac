/** The preload script: one file, since a sandboxed preload script can require nothing but Electron's own modules. */
import { defineConfig } from 'vite';
import { nodeBundle } from './vite.node.ts';

export default defineConfig(() => nodeBundle({ preload: 'electron/preload.ts' }));
