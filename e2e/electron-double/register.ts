/** `node --import register.ts main.cjs`: whoever asks for Electron gets the double. Also holds in worker threads, where asking for it is a mistake. */
import { registerHooks } from 'node:module';
import { isMainThread } from 'node:worker_threads';

registerHooks({
  resolve(specifier, context, next) {
    if (!/^electron(\/(main|common|renderer))?$/.test(specifier)) return next(specifier, context);
    if (!isMainThread) throw new Error(`electron double: a worker thread asked for ${specifier}`);
    return { url: new URL('./electron.ts', import.meta.url).href, format: 'module-typescript', shortCircuit: true };
  },
});
