/**
 * Compares what the trainer makes of rows with what the user's own transformers and PEFT make of them: encoding first, then log-probs, loss and gradients. The two sides share the
 * rows on disk, the model's folder and an adapter, and nothing else.
 *
 * A visit's gradients are as large as the adapter, so the trainer is asked for as many at a time as fit into a bound, and they are removed once compared.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { AppError } from '../contract/errors.ts';
import type { BadRow, EncodedRow } from '../contract/pool.ts';
import type { Verification } from '../contract/runs.ts';
import { rowName } from '../datasets/read-row.ts';
import { readPool } from '../datasets/read-pool.ts';
import { encodeRows } from '../encode/encode-rows.ts';
import { openProcessor } from '../encode/processor.ts';
import { checkModel } from '../model/check-model.ts';
import { findModel, type FoundModel } from '../model/find-model.ts';
import { cacheFolder, ensureFolder, type Environment } from '../paths.ts';
import { writePlan } from '../plan/write-plan.ts';
import { describeInitAdapter } from '../recipes/webmix/init-adapter.ts';
import { targetLeaves } from '../recipes/webmix/plan.ts';
import { hostName } from '../trainer/process-identity.ts';
import { addVerified, identifyModelFiles, removeVerified, trainerOnDevice } from '../trainer/verified.ts';
import {
  aboutSchema,
  computedSchema,
  encodedSchema,
  openedModelSchema,
  openedProcessorSchema,
  type AboutPython,
} from './answers.ts';
import { drawRows, type DrawnRow, type VerifyRole } from './draw-rows.ts';
import {
  computedFaults,
  encodingFaults,
  gradientScale,
  gradientTolerance,
  scaleFault,
  type Computed,
  type Fault,
  type GradientScale,
} from './judge.ts';
import { ourEncodings, probe, type ProbedVisit } from './our-side.ts';
import { PythonSide } from './python-side.ts';
import { tolerancesFor, type Tolerances } from './tolerances.ts';
import { makeVerifyPlan, verifyRoles } from './verify-plan.ts';

export interface VerifySettings {
  /** Folder or hub id. */
  model: string;
  /** Folder of another processor, for both sides; null: the model's own. */
  processor: string | null;
  rowsFolders: readonly string[];
  /** The user's interpreter. */
  python: string;
  /** Rows to compare, at most. */
  rows: number;
  seed: number;
  adapter: string | null;
  families: readonly string[] | null;
  /** null: a new one whose B is not 0. */
  initAdapter: string | null;
  /** Of a new adapter. */
  rank: number;
  alpha: number;
  /** auto, cpu, cuda, cuda:N. */
  device: string;
  /** null: float32 on the CPU, else what a run takes. */
  dtype: 'bfloat16' | 'float32' | null;
  threads: number;
}

export interface VerifiedRow {
  /** `episode-12/rows.jsonl:3` */
  name: string;
  role: VerifyRole;
  tokens: number;
  targets: number;
  faults: Fault[];
  /** null where the encodings differ: then there is nothing to compare. */
  computed: Computed | null;
  /** Of a gradient tensor in this row; null: not judged. */
  gradientTolerance: number | null;
}

/** What is known before the first row. */
export interface VerifyBeginning {
  model: FoundModel;
  python: AboutPython;
  processor: {
    processor: string;
    tokenizer: string;
    imageProcessor: string;
    withTorchvision: boolean;
    note: string | null;
  };
  trainer: Verification['trainer'];
  /** cpu or cuda:N, and its name. */
  device: string;
  deviceName: string;
  dtype: 'bfloat16' | 'float32';
  tolerances: Tolerances;
  /** Rows that were drawn. */
  rows: number;
  /** Rows that the trainer does not take; none of them is compared. */
  bad: readonly BadRow[];
}

export interface VerifyOutcome extends VerifyBeginning {
  passed: boolean;
  results: VerifiedRow[];
  /** Of all rows together. */
  faults: Fault[];
  scale: GradientScale | null;
  modelClass: string | null;
  /** By how many levels of 255 the pixel values of Pillow's image processor differ at most; 0 with torchvision. */
  pilLevels: number;
  adapter: {
    path: string;
    /** null: it was given. */
    made: { deviation: number; moved: number } | null;
    rank: number;
    alpha: number;
    tensors: number;
  } | null;
}

export interface VerifyHooks {
  onProgress?: (stage: string, done: number, of: number) => void;
  onWarning?: (message: string) => void;
  onBegin?: (beginning: VerifyBeginning) => void;
  /** A row is done, whichever way. */
  onRow?: (row: VerifiedRow) => void;
  environment?: Environment;
  signal?: AbortSignal;
}

/** Of the trainer's files at a time, bytes. */
const boundOfFiles = 256 * 1024 * 1024;
/** Of a new adapter: standard deviation of B at first, and how far it has to move the log-probs of a few rows in the mean; B grows by steps of sqrt(2) until it does, at most so many. */
const newAdapter = { deviation: 0.02, moves: 0.05, growths: 12 };
const rowsToMove = 3;

/** Throws AppError where nothing can be compared; that rows differ is the outcome's to say. Passing is written into verified.json, and failing takes it back. */
export async function verifyModel(settings: VerifySettings, hooks: VerifyHooks = {}): Promise<VerifyOutcome> {
  const { environment = process.env, signal } = hooks;
  if (!Number.isSafeInteger(settings.rows) || settings.rows < 1)
    throw new AppError('usage', `--n has to be a whole number of 1 or more, not ${settings.rows}`, 'As in --n 50.');
  const model = findModel(settings.model, environment);
  const processorFolder = settings.processor === null ? model.path : path.resolve(settings.processor);
  checkModel(model.path, processorFolder);
  const start = settings.initAdapter === null ? null : describeInitAdapter(path.resolve(settings.initAdapter));
  const python = new PythonSide(settings.python, environment, signal);
  const work = mkdtempSync(path.join(os.tmpdir(), 'whetstone-verify-'));
  try {
    const about = await python.ask({ do: 'about' }, aboutSchema);
    const { trainer, device, deviceName } = await trainerOnDevice(settings.device, environment);
    if (device !== 'cpu' && !about.cuda)
      throw new AppError(
        'python-without-gpu',
        `the trainer takes ${device} (${deviceName}), and the torch ${about.torch} of ${about.executable} sees no GPU`,
        'Give another --python, or --device cpu for both.',
      );
    const dtype = settings.dtype ?? (device === 'cpu' ? 'float32' : 'bfloat16');
    const tolerances = tolerancesFor(dtype);
    const processor = await openProcessor(processorFolder);
    const opened = await python.ask({ do: 'processor', folder: processorFolder }, openedProcessorSchema);
    const { visits, bad } = await drawVisits(settings, processor, hooks);
    const beginning: VerifyBeginning = {
      ...{ model, python: about, trainer, device, deviceName, dtype, tolerances, rows: visits.length, bad },
      processor: {
        ...{ processor: opened.processor, tokenizer: opened.tokenizer, imageProcessor: opened.image_processor },
        ...{ withTorchvision: opened.with_torchvision, note: opened.note },
      },
    };
    hooks.onBegin?.(beginning);

    const results = visits.map(({ row, role, encoded }): VerifiedRow => ({
      ...{ name: rowName(row), role, tokens: encoded.tokens, targets: encoded.targets },
      ...{ faults: [], computed: null, gradientTolerance: tolerances.gradient },
    }));
    const { pilLevels } = await compareEncodings();
    const left = visits.flatMap((_, index) => (results[index]?.faults.length === 0 ? [index] : []));
    const outcome: VerifyOutcome = {
      ...{ ...beginning, passed: false, results, faults: [], scale: null, modelClass: null, pilLevels, adapter: null },
    };
    if (left.length > 0) await compareNumbers(outcome, left);
    outcome.passed = outcome.faults.length === 0 && results.every(({ faults }) => faults.length === 0);
    stamp(outcome);
    return outcome;

    async function compareEncodings(): Promise<{ pilLevels: number }> {
      const ours = await ourEncodings(
        visits.map(({ encoded }) => encoded),
        processor,
        { environment, signal },
      );
      let levels = 0;
      for (const [index, { row }] of visits.entries()) {
        hooks.onProgress?.('encoding on both sides', index, visits.length);
        const result = results[index];
        const mine = ours[index];
        if (!result || !mine) continue;
        await refusal(result, async () => {
          const theirs = await python.ask({ do: 'encode', row: placeOf(row) }, encodedSchema);
          levels = Math.max(levels, theirs.pil_levels);
          result.faults.push(...encodingFaults(mine, theirs));
        });
        if (result.faults.length > 0) hooks.onRow?.(result);
      }
      return { pilLevels: levels };
    }

    async function compareNumbers(out: VerifyOutcome, ordinals: readonly number[]): Promise<void> {
      const folder = start?.path ?? path.join(work, 'adapter');
      const make = {
        ...{ rank: settings.rank, alpha: settings.alpha, targets: targetLeaves, seed: settings.seed },
        ...newAdapter,
        rows: ordinals.slice(0, rowsToMove).flatMap((index) => (visits[index] ? [placeOf(visits[index].row)] : [])),
      };
      const shape = start ?? make;
      hooks.onProgress?.('opening the model', 0, ordinals.length);
      const openedModel = await python.ask(
        {
          ...{ do: 'model', folder: model.path, dtype, device, threads: settings.threads },
          adapter: { path: folder, ...(start ? {} : { make }) },
        },
        openedModelSchema,
      );
      out.modelClass = openedModel.model;
      out.adapter = {
        path: folder,
        made: openedModel.made,
        rank: shape.rank,
        alpha: shape.alpha,
        tensors: openedModel.tensors,
      };
      const plan = makeVerifyPlan({
        ...{ visits, model, dtype, device, threads: settings.threads },
        adapter: { path: folder, rank: shape.rank, alpha: shape.alpha },
        output: path.join(work, 'no-output'),
      });
      const { file } = writePlan(plan, work);
      const atATime = Math.max(1, Math.floor(boundOfFiles / openedModel.bytes));
      const probed = path.join(work, 'visits');
      for (let from = 0; from < ordinals.length; from += atATime) {
        hooks.onProgress?.('log-probs and gradients', from, ordinals.length);
        const part = ordinals.slice(from, from + atATime);
        mkdirSync(probed, { recursive: true });
        const answers = await probe(file, part, probed, { environment, signal });
        for (const [index, answer] of answers.entries()) {
          hooks.onProgress?.('log-probs and gradients', from + index, ordinals.length);
          const result = results[answer.ordinal];
          const visit = visits[answer.ordinal];
          if (!result || !visit) throw new Error(`there is no visit ${answer.ordinal}`);
          await refusal(result, () => compareVisit(result, visit, answer));
          rmSync(answer.file, { force: true });
          hooks.onRow?.(result);
        }
      }
      const computed = results.flatMap(({ role, computed: each }) => (each ? [{ role, computed: each }] : []));
      out.scale = gradientScale(computed);
      const fault = scaleFault(out.scale, tolerances);
      if (fault) out.faults.push(fault);
    }

    async function compareVisit(result: VerifiedRow, { row, role }: DrawnRow, ours: ProbedVisit): Promise<void> {
      const term = verifyRoles.find(({ name }) => name === role);
      result.computed = await python.ask(
        { do: 'compute', row: placeOf(row), role: term, ours: ours.file },
        computedSchema,
      );
      result.gradientTolerance = gradientTolerance(result.computed, tolerances);
      result.faults.push(...computedFaults(result.computed, ours, tolerances));
    }

    function stamp(out: VerifyOutcome): void {
      const subject = {
        model: { name: model.name, revision: model.revision, files: identifyModelFiles(model.path) },
        processor: processor.id,
        ...{ trainer, host: hostName(), device: deviceName, dtype, branchDtype: 'float32' as const },
      };
      if (!out.passed) {
        removeVerified(subject, environment);
        return;
      }
      const { python: version, torch, transformers, peft, tokenizers } = about;
      const imageProcessor = opened.image_processor;
      addVerified(
        {
          ...subject,
          python: { python: version, torch, transformers, peft, tokenizers, imageProcessor },
          ...{ rows: results.length, time: Date.now() / 1000 },
        },
        environment,
      );
    }
  } finally {
    await python.close();
    // A trainer that was ended a moment ago may still be writing.
    rmSync(work, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

/** Where Python finds the row by itself. */
const placeOf = ({ folder, offset, length }: DrawnRow['row']): { file: string; offset: number; length: number } => ({
  file: path.join(folder, 'rows.jsonl'),
  offset,
  length,
});

/** What Python refuses of one row is that row's fault; that it is gone is not. */
async function refusal(result: VerifiedRow, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'python-refused') throw error;
    result.faults.push({ what: 'refused', detail: `transformers answers: ${error.message}` });
  }
}

/** Rows of the pool, drawn and encoded. Those that cannot be encoded are left out and listed. */
async function drawVisits(
  settings: VerifySettings,
  processor: Awaited<ReturnType<typeof openProcessor>>,
  { environment = process.env, signal, onProgress, onWarning }: VerifyHooks,
): Promise<{ visits: (DrawnRow & { encoded: EncodedRow })[]; bad: BadRow[] }> {
  const folder = ensureFolder(cacheFolder(environment));
  const passing = { cacheFolder: folder, ...(signal ? { signal } : {}), ...(onWarning ? { onWarning } : {}) };
  const pool = await readPool([...settings.rowsFolders], {
    ...passing,
    onProgress: ({ episodes, ofEpisodes }) => onProgress?.('reading rows', episodes, ofEpisodes),
  });
  const drawn = drawRows(pool.rows, settings);
  const { encoded, bad } = await encodeRows(
    drawn.map(({ row }) => row),
    processor,
    passing,
  );
  const visits = drawn.flatMap((each) => {
    const at = encoded.get(each.row.key);
    return at ? [{ ...each, encoded: at }] : [];
  });
  const [first] = bad;
  if (visits.length === 0 && first)
    throw new AppError(
      'no-rows',
      `none of ${drawn.length} drawn rows can be encoded, as ${first.file}:${first.line}: ${first.message}`,
      'Correct them, or give other rows.',
    );
  return { visits, bad: [...pool.bad, ...bad] };
}
