/**
 * One row to token ids, as the Python trainers do it: the prompt and the prompt with target and end token are tokenised separately, the targets are the last
 * n tokens of the longer one, n being the difference of their lengths; an image's placeholder then becomes as many ids as the image has tokens.
 */
import type { PoolImage } from '../contract/pool.ts';
import { AppError } from '../contract/errors.ts';
import path from 'node:path';
import { countCodePoints } from '../text/code-points.ts';
import type { RawRow } from '../datasets/row.ts';
import { RowFault } from '../datasets/row-fault.ts';
import { hintFor } from '../datasets/row-hints.ts';
import { targetField, targetFields } from '../recipes/webmix/target-fields.ts';
import { imageGrid, imageTokenCount } from './image-settings.ts';
import type { Grid } from './image-settings.ts';
import type { Processor } from './processor.ts';

/** Why the action column is 1 everywhere; numbers as in docs/formats/encoded-dataset.md. */
export const fallbackCode = { none: 0, 'no-action': 1, 'length-differs': 2 } as const;

export interface EncodedExample {
  /** Token ids, [T], image placeholders expanded. */
  ids: Int32Array;
  /** [K]: index whose next-token distribution is scored (the target's own index minus one). */
  targetPositions: Int32Array;
  /** [K] */
  targetIds: Int32Array;
  /** [K], 1 where the target belongs to the action part. */
  action: Uint8Array;
  /** [K], numbers of main/recipes/webmix/target-fields.ts. */
  field: Uint8Array;
  fallback: (typeof fallbackCode)[keyof typeof fallbackCode];
  /** One an image, in patches. */
  grids: Grid[];
  imageTokens: number;
}

/** Encodes one row. Throws AppError naming file and line. */
export async function encodeExample(
  processor: Processor,
  raw: RawRow,
  images: readonly PoolImage[] = raw.row.images,
): Promise<EncodedExample> {
  const [result] = await encodeExamples(processor, [{ ...raw, row: { ...raw.row, images } }]);
  if (result instanceof RowFault) {
    const file = path.join(raw.row.folder, 'rows.jsonl');
    throw new AppError(result.code, `${file}:${raw.row.line}: ${result.message}`, hintFor(result.code));
  }
  if (result === undefined) throw new Error('no example came back');
  return result;
}

/** Encodes rows together, so that the tokenizer can use all cores. A row that cannot be encoded gives its fault instead. */
export async function encodeExamples(
  processor: Processor,
  rows: readonly RawRow[],
): Promise<(EncodedExample | RowFault)[]> {
  const prepared = rows.map((row) => attempt(() => prepare(processor, row)));
  const inContext = prepared.flatMap((item) =>
    item instanceof RowFault ? [] : [item.prompt, item.prompt + item.ending],
  );
  const alone = prepared.flatMap((item) => (item instanceof RowFault ? [] : [item.ending]));
  const { tokenizer } = processor;
  const [contexts, endings] = await Promise.all([
    inContext.length > 0 ? tokenizer.encodeBatch(inContext, { addSpecialTokens: true }) : [],
    alone.length > 0 ? tokenizer.encodeBatch(alone, { addSpecialTokens: false }) : [],
  ]);
  let next = 0;
  return prepared.map((item) => {
    if (item instanceof RowFault) return item;
    const prompt = contexts[2 * next];
    const full = contexts[2 * next + 1];
    const ending = endings[next++];
    if (!prompt || !full || !ending) throw new Error('the tokenizer returned too few encodings');
    return attempt(() => assemble(processor, item, prompt.getIds(), full.getIds(), ending.getOffsets()));
  });
}

interface Prepared {
  target: string;
  prompt: string;
  /** Target and end token. */
  ending: string;
  grids: Grid[];
}

function attempt<Value>(work: () => Value): Value | RowFault {
  try {
    return work();
  } catch (error) {
    if (error instanceof RowFault) return error;
    throw error;
  }
}

function prepare(processor: Processor, { row, messages, target }: RawRow): Prepared {
  const grids = row.images.map(({ path: file, height, width }) => {
    const grid = imageGrid(processor.image, height, width);
    if (grid === null)
      throw new RowFault(
        'image-aspect',
        `the image ${file} is ${width} x ${height}: its sides differ by more than 200 times`,
      );
    return grid;
  });
  return {
    target,
    prompt: processor.template.render(messages),
    ending: target + processor.architecture.endToken,
    grids,
  };
}

function assemble(
  processor: Processor,
  { target, grids }: Prepared,
  prompt: number[],
  full: number[],
  offsets: number[][],
): EncodedExample {
  checkPlaceholders(processor, prompt, full, grids.length);
  const count = full.length - prompt.length;
  if (count <= 0) throw new RowFault('row-target', 'its target adds no token to the prompt');
  const tokensOf = grids.map((grid) => imageTokenCount(processor.image, grid));
  const imageTokens = tokensOf.reduce((sum, tokens) => sum + tokens, 0);
  const ids = expand(full, processor.imageTokenId, tokensOf);
  if (processor.context !== null && ids.length > processor.context)
    throw new RowFault(
      'row-context',
      `it has ${ids.length} tokens (${imageTokens} of images, ${count} of the target) and the model's context holds ${processor.context}`,
    );
  const first = ids.length - count;
  return {
    ids,
    targetPositions: Int32Array.from({ length: count }, (_, index) => first + index - 1),
    targetIds: ids.slice(first),
    ...columns(target, count, offsets),
    grids,
    imageTokens,
  };
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** The prompt has to hold one placeholder an image, with a token between two of them, and the target none. */
function checkPlaceholders(
  processor: Processor,
  prompt: readonly number[],
  full: readonly number[],
  images: number,
): void {
  const { imageTokenId, architecture, foreignIds } = processor;
  const count = (ids: readonly number[]): number => ids.reduce((sum, id) => sum + (id === imageTokenId ? 1 : 0), 0);
  const inPrompt = count(prompt);
  if (inPrompt !== images) {
    throw new RowFault(
      'image-placeholders',
      `its prompt has ${counted(inPrompt, 'image placeholder')} (${architecture.imageToken}), and it has ${counted(images, 'image')}`,
    );
  }
  if (count(full) !== inPrompt)
    throw new RowFault('image-placeholders', `its target holds the image placeholder ${architecture.imageToken}`);
  full.forEach((id, index) => {
    if (id === imageTokenId && full[index + 1] === imageTokenId) {
      throw new RowFault('image-adjacent', 'two of its images follow each other without a token between them');
    }
    const foreign = foreignIds.get(id);
    if (foreign !== undefined)
      throw new RowFault('foreign-placeholder', `it holds the placeholder ${foreign}, for which it has no data`);
  });
}

function expand(ids: readonly number[], placeholder: number, tokensOf: readonly number[]): Int32Array {
  const length = tokensOf.reduce((sum, tokens) => sum + tokens - 1, ids.length);
  const expanded = new Int32Array(length);
  let at = 0;
  let image = 0;
  for (const id of ids) {
    const times = id === placeholder ? (tokensOf[image++] ?? 0) : 1;
    expanded.fill(id, at, at + times);
    at += times;
  }
  return expanded;
}

/** `offsets`: [start, end) in code points of the target and end token tokenised alone. They say nothing where that gives another number of tokens. */
function columns(
  target: string,
  count: number,
  offsets: readonly number[][],
): Pick<EncodedExample, 'action' | 'field' | 'fallback'> {
  const isAligned = offsets.length === count;
  const actionAt = target.indexOf('"action"');
  const field = new Uint8Array(count);
  const action = new Uint8Array(count);
  if (isAligned) {
    const spans = targetFields(target);
    let span = 0;
    offsets.forEach(([, end = 0], index) => {
      // The last character of the token decides. Ends never go back.
      while (span < spans.length - 1 && (spans[span]?.end ?? 0) < end) span++;
      field[index] = spans[span]?.field ?? targetField.other;
    });
  }
  field[count - 1] = targetField.end;
  if (!isAligned || actionAt < 0) {
    return {
      action: action.fill(1),
      field,
      fallback: actionAt < 0 ? fallbackCode['no-action'] : fallbackCode['length-differs'],
    };
  }
  const from = countCodePoints(target.slice(0, actionAt));
  offsets.forEach(([, end = 0], index) => (action[index] = end > from ? 1 : 0));
  return { action, field, fallback: fallbackCode.none };
}
