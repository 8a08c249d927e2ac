/**
 * Where the entry points of our worker threads are: TypeScript files of the sources, which Node runs as they are, or files beside the bundle in a packaged
 * app, which vite.main.config.ts makes under the same names.
 */

const sources = {
  encode: '../encode/worker.ts',
  draft: '../window/draft/thread.ts',
  plans: '../window/runs/thread.ts',
  rows: '../window/rows/thread.ts',
} as const;
export type ThreadName = keyof typeof sources;

/** Names for the bundler: each becomes `thread-NAME.cjs`. */
export const threadSources: Readonly<Record<ThreadName, string>> = sources;

export function threadEntry(name: ThreadName): URL {
  const here = import.meta.url;
  if (here.endsWith('.ts')) return new URL(sources[name], here);
  // A packaged app keeps threads and what they load beside its archive as plain files: they do not depend on Electron's reading of archives.
  return new URL(`./thread-${name}.cjs`, here.replace('/app.asar/', '/app.asar.unpacked/'));
}
