/**
 * The names of everything that crosses between window and main process. A file of its own without imports, since the preload script carries it whole:
 * it is the allow-list of both transports. `requests.ts` and `pushes.ts` give each name its shape, and fail to compile when one is missing.
 */

export const requestNames = [
  'app.info',
  'app.retryHistory',
  'machine.check',
  'folders.list',
  'folders.pick',
  'job.cancel',
  'runs.list',
  'runs.get',
  'runs.series',
  'runs.log',
  'runs.rename',
  'runs.note',
  'runs.stop',
  'runs.resume',
  'draft.recipes',
  'draft.models',
  'draft.demo',
  'draft.fromRun',
  'draft.paste',
  'draft.check',
  'draft.pool',
  'draft.census',
  'draft.try',
  'draft.launch',
  'rows.pools',
  'rows.open',
  'rows.episodes',
  'rows.list',
  'rows.read',
  'rows.image',
] as const;
export type RequestName = (typeof requestNames)[number];

export const pushNames = ['runs.changed', 'job.progress'] as const;
export type PushName = (typeof pushNames)[number];
