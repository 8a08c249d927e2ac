/** A row's supervised tokens as the window shows them: each with the text it stands for, its place in the target, and both masks. */
import { AppError } from '../../contract/errors.ts';
import type { FallbackReason } from '../../contract/pool.ts';
import type { RowDetail, TargetTokens } from '../../contract/window/rows.ts';
import type { RawRow } from '../../datasets/row.ts';
import { encodeExample, fallbackCode, type EncodedExample } from '../../encode/encode-example.ts';
import { imageTokenCount } from '../../encode/image-settings.ts';
import type { Processor } from '../../encode/processor.ts';
import { targetFieldNames } from '../../recipes/webmix/target-fields.ts';
import { countCodePoints } from '../../text/code-points.ts';

/** At most so many of the prompt's last tokens are shown before the target: those of the answer's head. */
const promptTail = 12;
const noField = 255;

export interface EncodedRow {
  tokens: TargetTokens;
  fallback: RowDetail['fallback'];
  totalTokens: number;
  /** Placeholder tokens, one an image. */
  imageTokens: number[];
}

const meanings: Record<FallbackReason, string> = {
  'no-action':
    'The target has no "action" key, so every target token counts as action: with ce_on action and in the KL term the whole target is used.',
  'length-differs':
    'Tokenised by itself the target has another number of tokens than after the prompt (its beginning merges with the end of the prompt), so the tokens of "action" cannot be told and every target token counts as action.',
};

/** Throws AppError where the row cannot be encoded. */
export async function encodeForView(processor: Processor, raw: RawRow): Promise<EncodedRow> {
  const example = await encodeExample(processor, raw);
  const reason = (Object.keys(fallbackCode) as (keyof typeof fallbackCode)[]).find(
    (name) => fallbackCode[name] === example.fallback,
  );
  return {
    tokens: await locate(processor, raw, example),
    fallback: reason === undefined || reason === 'none' ? null : { reason, meaning: meanings[reason] },
    totalTokens: example.ids.length,
    imageTokens: example.grids.map((grid) => imageTokenCount(processor.image, grid)),
  };
}

/** Places come from the row's tokens in context, where they are exact even when the standalone target is cut otherwise. */
async function locate(processor: Processor, raw: RawRow, example: EncodedExample): Promise<TargetTokens> {
  const prompt = processor.template.render(raw.messages);
  const text = prompt + raw.target + processor.architecture.endToken;
  const encoding = await processor.tokenizer.encode(text, null, { addSpecialTokens: true });
  const ids = encoding.getIds();
  const spans = encoding.getOffsets();
  const supervised = example.targetIds.length;
  const first = ids.length - supervised;
  if (example.targetIds.some((id, index) => ids[first + index] !== id))
    throw new AppError('row-encoding', 'the row was tokenised differently the second time', 'This is a bug of ours.');

  const characters = Array.from(text);
  const promptLength = countCodePoints(prompt);
  const targetLength = countCodePoints(raw.target);
  const start = first - tailLength(ids.slice(0, first), processor);
  const count = ids.length - start;
  const tokens: TargetTokens = {
    ids: Int32Array.from(ids.slice(start)),
    texts: [],
    starts: new Int32Array(count).fill(-1),
    ends: new Int32Array(count).fill(-1),
    supervised: new Uint8Array(count),
    action: new Uint8Array(count),
    field: new Uint8Array(count).fill(noField),
    fields: [...targetFieldNames],
  };
  // A token's text begins where the one before ended: the joined texts are the row's text, whatever a tokenizer says of spaces.
  let done = start === 0 ? 0 : (spans[start - 1]?.[1] ?? 0);
  for (let at = 0; at < count; at++) {
    const end = Math.max(done, spans[start + at]?.[1] ?? done);
    tokens.texts.push(characters.slice(done, end).join(''));
    const target = start + at - first;
    if (target >= 0) {
      tokens.supervised[at] = 1;
      tokens.action[at] = example.action[target] ?? 0;
      tokens.field[at] = example.field[target] ?? noField;
      const from = Math.max(0, (spans[start + at]?.[0] ?? 0) - promptLength);
      if (from < targetLength) {
        tokens.starts[at] = from;
        tokens.ends[at] = Math.min(targetLength, end - promptLength);
      }
    }
    done = end;
  }
  return tokens;
}

/** The answer's head, `<|im_start|>assistant...`, where it is among the last tokens, else a few. */
function tailLength(prompt: readonly number[], { tokenizer }: Processor): number {
  const head = tokenizer.tokenToId('<|im_start|>');
  const at = head === null ? -1 : prompt.lastIndexOf(head);
  return at >= 0 && prompt.length - at <= promptTail ? prompt.length - at : Math.min(promptTail, prompt.length);
}
