/**
 * THE contract of window and main process: every request with the schema of its input and the type of its answer. Inputs come from a renderer that may be
 * anything, so they are parsed; answers come from us. Both transports (Electron's IPC, WebSocket) carry exactly this.
 */
import { z } from 'zod';
import type { AppInfo, FolderListing, MachineCheck } from './app.ts';
import {
  pathSchema,
  runRequestSchema,
  type DraftCensus,
  type DraftCheck,
  type DraftRequest,
  type LaunchAnswer,
  type ModelChoice,
  type PastedCommand,
  type PoolFacts,
  type RecipeForm,
  type TryAnswer,
} from './draft.ts';
import type { RequestName } from './names.ts';
import {
  emptyFilter,
  rowFilterSchema,
  type EpisodeItem,
  type OpenPool,
  type Page,
  type PoolEntry,
  type RowDetail,
  type RowImage,
  type RowItem,
} from './rows.ts';
import { seriesInput, type LogPart, type RunDetail, type RunsList, type SeriesAnswer } from './runs.ts';

interface RequestShape<In extends z.ZodType, Out> {
  in: In;
  /** Never there: carries the type of the answer. */
  out?: Out;
}

const answers =
  <Out>() =>
  <In extends z.ZodType>(schema: In): RequestShape<In, Out> => ({ in: schema });

const nothing = z.strictObject({});
const run = z.string().min(1).max(200);
/** Made by the window, so that it can hear of a long request's progress and cancel it. */
const job = z.string().min(1).max(80);
const folder = pathSchema.min(1);
const pool = z.string().regex(/^[0-9a-f]{8,64}$/);
const from = z.int().nonnegative();
const count = z.int().min(1).max(500);
const row = { pool, episode: z.string().min(1).max(1000), line: z.int().positive() };

export const requests = {
  'app.info': answers<AppInfo>()(nothing),
  /** Tries to open the history again, after the person has done what the problem's hint says. */
  'app.retryHistory': answers<AppInfo>()(nothing),
  'machine.check': answers<MachineCheck>()(nothing),
  /** `folder` '' is the home folder. */
  'folders.list': answers<FolderListing>()(z.strictObject({ folder: pathSchema })),
  /** The system's own dialog; null: cancelled. Refused where there is none (`no-dialog`). */
  'folders.pick': answers<string | null>()(z.strictObject({ title: z.string().max(200), from: pathSchema })),
  'job.cancel': answers<{ cancelled: boolean }>()(z.strictObject({ job })),

  /** All runs, or those of `only` that there are. */
  'runs.list': answers<RunsList>()(z.strictObject({ only: z.array(run).max(1000).optional() })),
  'runs.get': answers<RunDetail>()(z.strictObject({ run })),
  'runs.series': answers<SeriesAnswer>()(seriesInput),
  /** The part that ends at `before` (null: at the end of the file), at most `bytes`. */
  'runs.log': answers<LogPart>()(
    z.strictObject({ run, before: from.nullable(), bytes: z.int().min(256).max(1_000_000) }),
  ),
  'runs.rename': answers<null>()(z.strictObject({ run, name: z.string().trim().min(1).max(200) })),
  'runs.note': answers<null>()(z.strictObject({ run, note: z.string().max(4000) })),
  /** Answers when the wish is written down; that the run has ended comes as a push. `kill`: at once, without a checkpoint. */
  'runs.stop': answers<null>()(z.strictObject({ run, kill: z.boolean() })),
  'runs.resume': answers<LaunchAnswer>()(z.strictObject({ run })),

  'draft.recipes': answers<RecipeForm[]>()(nothing),
  'draft.models': answers<ModelChoice[]>()(nothing),
  'draft.demo': answers<DraftRequest>()(nothing),
  /** What would make the same run again. */
  'draft.fromRun': answers<DraftRequest>()(z.strictObject({ run })),
  'draft.paste': answers<PastedCommand>()(z.strictObject({ text: z.string().max(100_000) })),
  'draft.check': answers<DraftCheck>()(z.strictObject({ request: runRequestSchema })),
  'draft.pool': answers<PoolFacts>()(z.strictObject({ job, rowsFolders: z.array(folder).min(1).max(64) })),
  'draft.census': answers<DraftCensus>()(z.strictObject({ job, request: runRequestSchema })),
  'draft.try': answers<TryAnswer>()(z.strictObject({ job, request: runRequestSchema })),
  /** Prepares (rows, encoding, plan), creates and starts the run. */
  'draft.launch': answers<LaunchAnswer>()(z.strictObject({ job, request: runRequestSchema })),

  'rows.pools': answers<PoolEntry[]>()(nothing),
  'rows.open': answers<OpenPool>()(
    z.strictObject({
      job,
      which: z.union([z.strictObject({ pool }), z.strictObject({ folders: z.array(folder).min(1).max(64) })]),
    }),
  ),
  'rows.episodes': answers<Page<EpisodeItem>>()(z.strictObject({ pool, filter: rowFilterSchema, from, count })),
  'rows.list': answers<Page<RowItem>>()(z.strictObject({ pool, filter: rowFilterSchema, from, count })),
  /** `model`: whose processor encodes it; null: not encoded. `filter`: whose neighbours it is shown among. */
  'rows.read': answers<RowDetail>()(
    z.strictObject({ ...row, model: pathSchema.nullable(), filter: rowFilterSchema.default(emptyFilter) }),
  ),
  'rows.image': answers<RowImage>()(z.strictObject({ ...row, image: from })),
} satisfies Record<RequestName, RequestShape<z.ZodType, unknown>>;

export type Requests = typeof requests;
/** What a caller gives; fields with a default may be left out. */
export type RequestInput<Name extends RequestName> = z.input<Requests[Name]['in']>;
/** What a handler gets. */
export type RequestParsed<Name extends RequestName> = z.output<Requests[Name]['in']>;
export type RequestAnswer<Name extends RequestName> =
  Requests[Name] extends RequestShape<z.ZodType, infer Out> ? Out : never;

/** One function a request; services of the main process are parts of this. */
export type Handlers = {
  [Name in RequestName]: (input: RequestParsed<Name>) => RequestAnswer<Name> | Promise<RequestAnswer<Name>>;
};
