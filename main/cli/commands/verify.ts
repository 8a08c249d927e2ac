/** `whetstone verify --model M --rows R --python PATH`: the trainer against the user's own transformers and PEFT, on the user's own machine. A line a row; exit status 1 when one fails. */
import os from 'node:os';
import path from 'node:path';
import { AppError } from '../../contract/errors.ts';
import { parseCommaList, parsePythonInteger, parsePythonNumber } from '../../recipes/flags.ts';
import { shortly } from '../../verify/judge.ts';
import { verifyModel, type VerifiedRow, type VerifyBeginning, type VerifyOutcome } from '../../verify/verify-model.ts';
import { createProgress } from '../progress-bar.ts';

export interface VerifyOptions {
  model: string;
  rows: string[];
  python: string;
  n: string;
  seed: string;
  processor?: string;
  adapter?: string;
  families?: string;
  initAdapter?: string;
  rank: string;
  alpha: string;
  device: string;
  dtype?: string;
  threads?: string;
  json?: boolean;
}

const atLeast = (flag: string, text: string, least: number): number => {
  const value = parsePythonInteger(flag, text);
  if (value >= least) return value;
  throw new AppError('bad-flag', `${flag} has to be a whole number of ${least} or more, not ${text}`);
};

function dtypeOf(text: string | undefined): 'bfloat16' | 'float32' | null {
  if (text === undefined || text === 'bfloat16' || text === 'float32') return text ?? null;
  throw new AppError('bad-flag', `--dtype has to be bfloat16 or float32, not ${JSON.stringify(text)}`);
}

function deviceOf(text: string): string {
  if (/^(auto|cpu|cuda(:\d+)?)$/.test(text)) return text;
  throw new AppError('bad-flag', `--device has to be auto, cpu, cuda or cuda:N, not ${JSON.stringify(text)}`);
}

export async function verifyCommand(options: VerifyOptions): Promise<void> {
  const progress = createProgress();
  const alpha = parsePythonNumber('--alpha', options.alpha);
  if (!(alpha > 0 && Number.isFinite(alpha)))
    throw new AppError('bad-flag', `--alpha has to be more than 0, not ${options.alpha}`);
  const settings = {
    model: options.model,
    processor: options.processor ?? null,
    rowsFolders: options.rows,
    // A path means one from here; a name is looked for on PATH.
    python: options.python.includes('/') ? path.resolve(options.python) : options.python,
    rows: atLeast('--n', options.n, 1),
    seed: atLeast('--seed', options.seed, 0),
    adapter: options.adapter ?? null,
    families: options.families === undefined ? null : parseCommaList(options.families),
    initAdapter: options.initAdapter ?? null,
    rank: atLeast('--rank', options.rank, 1),
    alpha,
    device: deviceOf(options.device),
    dtype: dtypeOf(options.dtype),
    threads:
      options.threads === undefined
        ? Math.min(os.availableParallelism(), 16)
        : atLeast('--threads', options.threads, 1),
  };
  const say = (text: string): void => (options.json ? undefined : progress.line(text));
  const outcome = await untilInterrupted((signal) =>
    verifyModel(settings, {
      signal,
      onProgress: (stage, done, of) => progress.update(stage, done, of),
      onWarning: (message) => progress.line(`warning: ${message}`),
      onBegin: (beginning) => beginningLines(beginning).forEach(say),
      onRow: (row) => say(rowLine(row)),
    }),
  );
  progress.clear();
  if (options.json) console.log(JSON.stringify(outcome, null, 2));
  else for (const line of outcomeLines(outcome)) console.log(line);
  if (!outcome.passed) process.exitCode = 1;
}

export function beginningLines(beginning: VerifyBeginning): string[] {
  const { model, python, processor, trainer, device, deviceName, dtype, tolerances, rows, bad } = beginning;
  return [
    `trainer ${trainer.version}, torch ${trainer.torch}, ${device === 'cpu' ? 'CPU' : `${device} ${deviceName}`}, ${dtype}; model ${model.name}${model.revision ? ` at ${model.revision}` : ''}`,
    `against ${python.executable}: python ${python.python}, torch ${python.torch}, transformers ${python.transformers}, peft ${python.peft}, tokenizers ${python.tokenizers}${python.fla ? ', with fla' : ''}`,
    `their classes: ${processor.processor}, ${processor.tokenizer}, ${processor.imageProcessor}`,
    ...(processor.note === null ? [] : [`note: ${processor.note}`]),
    ...(processor.withTorchvision
      ? []
      : [
          `warning: ${processor.imageProcessor} resizes with Pillow, as transformers does without torchvision: its pixel values can differ by a level from those of the torchvision variant,`,
          '  which models are trained with. Compared with are the values of the operator that the torchvision variant calls, from their own torch',
        ]),
    ...(bad.length > 0
      ? [
          `${bad.length} rows cannot be used and are not compared, the first is ${bad[0]?.file ?? ''}:${bad[0]?.line ?? 0}: ${bad[0]?.message ?? ''}`,
        ]
      : []),
    'token ids, targets, action mask, grids and SHA-256 of the pixel values: exactly equal',
    ...tolerances.reasons,
    `${rows} ${rows === 1 ? 'row' : 'rows'}:`,
  ];
}

export function rowLine(row: VerifiedRow): string {
  const { faults, computed } = row;
  const what = `${row.name}  ${row.role}  ${row.tokens} tokens, ${row.targets} targets`;
  if (faults.length > 0) return `FAIL  ${what}: ${faults.map((fault) => `${fault.what}: ${fault.detail}`).join('; ')}`;
  if (!computed || !('max' in computed.gradients)) return `FAIL  ${what}: not compared`;
  const moved = computed.distance === null ? '' : `, base and adapter ${computed.distance.moved.toPrecision(2)} apart`;
  const judged =
    row.gradientTolerance === null ? '(not judged: below the noise)' : `of ${shortly(row.gradientTolerance)}`;
  return `pass  ${what}  log-probs off by ${shortly(computed.logProbs.max)} (mean ${shortly(computed.logProbs.mean)}), gradients ${shortly(computed.gradients.max)} ${judged}${moved}`;
}

export function outcomeLines(outcome: VerifyOutcome): string[] {
  const { results, faults, passed, adapter, modelClass, pilLevels, scale } = outcome;
  const failed = results.filter((row) => row.faults.length > 0);
  const kinds = new Map<string, number>();
  for (const { what } of failed.flatMap((row) => row.faults)) kinds.set(what, (kinds.get(what) ?? 0) + 1);
  const worst = (of: (row: VerifiedRow) => number): string =>
    shortly(Math.max(0, ...results.map(of).filter(Number.isFinite)));
  const lines = ['', ...faults.map((fault) => `FAIL  ${fault.what}: ${fault.detail}`)];
  if (adapter !== null)
    lines.push(
      `adapter: ${adapter.made ? `a new one of PEFT, its B not 0 but of deviation ${adapter.made.deviation.toPrecision(2)}, which moves log-probs by ${adapter.made.moved.toPrecision(2)} in the mean` : adapter.path}, rank ${adapter.rank}, alpha ${adapter.alpha}, ${adapter.tensors} tensors; their model ${modelClass ?? ''}`,
      `largest difference: log-probs ${worst((row) => row.computed?.logProbs.max ?? 0)}, gradient of a tensor ${worst(gradientOf)} of its norm; their length ${scale?.median.toFixed(6) ?? '-'} of theirs in the median over ${scale?.rows ?? 0} cross-entropy rows`,
    );
  if (pilLevels > 0)
    lines.push(
      `their Pillow image processor by itself differs by up to ${pilLevels.toFixed(1)} of 255 levels in a pixel`,
    );
  lines.push(
    passed
      ? `${results.length} of ${results.length} rows pass: runs of this model, trainer, device and dtype are marked as verified from now on`
      : failed.length === 0
        ? `the rows pass one by one, all together they do not: not verified`
        : `${failed.length} of ${results.length} rows fail (${[...kinds].map(([what, count]) => `${what} ${count}`).join(', ')}): not verified`,
  );
  return lines;
}

const gradientOf = ({ computed }: VerifiedRow): number =>
  computed && 'max' in computed.gradients ? computed.gradients.max : 0;

/** Ctrl-C ends both sides, and what was made for them is cleared away before we end. */
async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = (): void => controller.abort(new AppError('cancelled', 'verify was stopped; nothing was marked'));
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  try {
    return await work(controller.signal);
  } catch (error) {
    throw controller.signal.aborted ? (controller.signal.reason as Error) : error;
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}
