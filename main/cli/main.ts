/**
 * Where the command line starts. Node keeps what it made of our TypeScript in a folder beside the build: with it `whetstone runs` takes half the time. That
 * has to be asked for before anything else is loaded, hence a file of its own.
 */
import { enableCompileCache } from 'node:module';
import path from 'node:path';

enableCompileCache(path.resolve(import.meta.dirname, '../../.whetstone/compile-cache'));
await (await import('./program.ts')).main();
