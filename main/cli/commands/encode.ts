/** `whetstone encode ROWS --row WHICH --model M`: one row as the trainer gets it, to compare with other encoders. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '../../contract/errors.ts';
import type { BadRow, Pool, PoolRow } from '../../contract/pool.ts';
import { readPool } from '../../datasets/read-pool.ts';
import { rowName } from '../../datasets/read-row.ts';
import { hintFor } from '../../datasets/row-hints.ts';
import { encodeRows } from '../../encode/encode-rows.ts';
import { readExample } from '../../encode/pack-reader.ts';
import { openProcessor } from '../../encode/processor.ts';
import { findModel } from '../../model/find-model.ts';
import { cacheFolder, ensureFolder } from '../../paths.ts';
import { askTrainer } from '../../trainer/ask-trainer.ts';

export interface EncodeOptions {
  row: string;
  model: string;
  json?: boolean;
  pixels?: boolean;
}

const unusable = ({ code, file, line, message }: BadRow): AppError =>
  new AppError(code, `${file}:${line}: ${message}`, hintFor(code));

/** `episode:line`, or the index of a row in the pool. */
export function findRow(pool: Pool, which: string): PoolRow {
  const [, episode, line] = /^(.+):(\d+)$/.exec(which) ?? [];
  const row =
    episode === undefined
      ? /^\d+$/.test(which)
        ? pool.rows[Number(which)]
        : undefined
      : pool.rows.find((each) => each.episode === episode.replace(/\/rows\.jsonl$/, '') && each.line === Number(line));
  if (row) return row;
  const bad = pool.bad.find(
    (each) => episode !== undefined && each.line === Number(line) && each.file.includes(`/${episode}/`),
  );
  throw bad
    ? unusable(bad)
    : new AppError(
        'no-such-row',
        `there is no row ${which} in ${pool.folders.join(', ')}`,
        `Rows are EPISODE:LINE, or a number from 0 to ${pool.rows.length - 1}.`,
      );
}

const pixelsSchema = z.object({ sha256: z.string(), shape: z.array(z.number()) });
const refusalSchema = z.object({ error: z.object({ message: z.string(), hint: z.string().optional() }) });

/** SHA-256 and shape of a row's float32 pixel values, of all its images in order. */
async function pixelsOf(file: string, row: number): Promise<z.infer<typeof pixelsSchema>> {
  const answer: unknown = JSON.parse(
    await askTrainer(['decode', '--stdin'], { input: `${JSON.stringify({ dataset: file, row })}\n` }),
  );
  const refusal = refusalSchema.safeParse(answer);
  if (refusal.success) throw new AppError('decode', refusal.data.error.message, refusal.data.error.hint);
  return pixelsSchema.parse(answer);
}

export async function encodeCommand(folder: string, options: EncodeOptions): Promise<void> {
  const cache = ensureFolder(cacheFolder());
  const model = findModel(options.model);
  const processor = await openProcessor(model.path);
  const pool = await readPool([folder], { cacheFolder: cache });
  const row = findRow(pool, options.row);
  const { encoded, bad } = await encodeRows([row], processor, { cacheFolder: cache });
  if (bad[0]) throw unusable(bad[0]);
  const at = encoded.get(row.key);
  if (!at) throw new Error(`row ${row.key} was encoded and is not there`);
  const example = await readExample(at);
  const action = [...(example.columns['action'] ?? [])];
  const shown = {
    row: rowName(row),
    key: row.key,
    processor: processor.id,
    tokens: example.ids.length,
    targets: example.targetIds.length,
    ids: [...example.ids],
    ids_sha256: createHash('sha256')
      .update(Buffer.from(example.ids.buffer, example.ids.byteOffset, example.ids.byteLength))
      .digest('hex'),
    target_positions: [...example.targetPositions],
    target_ids: [...example.targetIds],
    action_mask: action,
    fallback: at.fallback,
    field: [...(example.columns['field'] ?? [])],
    fields: example.fields,
    grids: example.images.map(({ grid }) => grid),
    images: example.images.map(({ path: file, width, height, sha256 }) => ({ path: file, width, height, sha256 })),
    pixels: options.pixels ? (example.images.length > 0 ? await pixelsOf(at.file, at.row) : null) : undefined,
  };
  if (options.json) {
    console.log(JSON.stringify(shown));
    return;
  }
  const marked = action.reduce((sum, value) => sum + value, 0);
  console.log(`${shown.row}: ${shown.tokens} tokens, ${shown.targets} targets, ${marked} of them in the action`);
  if (shown.fallback) console.log(`the action could not be told apart (${shown.fallback}): all targets count`);
  for (const [index, image] of shown.images.entries())
    console.log(`image ${image.path}: ${image.width}x${image.height}, grid ${shown.grids[index]?.join(' x ') ?? '?'}`);
  if (shown.pixels) console.log(`pixels ${shown.pixels.shape.join(' x ')}, SHA-256 ${shown.pixels.sha256}`);
  console.log(`ids SHA-256 ${shown.ids_sha256}`);
}
