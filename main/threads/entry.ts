/**
 * Where the entry points of our worker threads are: TypeScript files of the sources, which Node runs as they are, or files beside the bundle in a packaged
 * app, which vite.main.config.ts makes under the same names.
 */

const sources = {
  encode: '../encode/worker.ts',
  draft: '../window/draft/thread.ts',
  rows: '../window/rows/thread.ts',
} as const;
export type ThreadName = keyof typeof sources;

/** Names for the bundler: each becomes `thread-NAME.cjs`. */
export const threadSources: Readonly<Record<ThreadName, string>> = sources;

export function threadEntry(name: ThreadName): URL {
  const here = import.meta.url;
  return here.endsWith('.ts') ? new URL(sources[name], here) : new URL(`./thread-${name}.cjs`, here);
}
