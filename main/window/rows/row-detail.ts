/** Everything that the page of one row shows. What keeps a row from being encoded is a part of the answer: the row is shown all the same. */
import path from 'node:path';
import { AppError } from '../../contract/errors.ts';
import type { RowDetail, RowFilter } from '../../contract/window/rows.ts';
import { readRow } from '../../datasets/read-row.ts';
import type { RawRow } from '../../datasets/row.ts';
import type { Processor } from '../../encode/processor.ts';
import { actionMarks } from './action-marks.ts';
import { shownMessages } from './message-sections.ts';
import type { OpenedPool } from './opened-pool.ts';
import { encodeForView, type EncodedRow } from './target-tokens.ts';

export type Fault = NonNullable<RowDetail['fault']>;

/** The model that was asked for: its processor's folder, or why there is none. */
export type AskedModel = { name: string; folder: string } | { name: string | null; fault: Fault };

export interface RowRequest {
  address: string;
  episode: string;
  line: number;
  filter: RowFilter;
  model: AskedModel;
}

/** Throws AppError `no-such-row`, and `row-changed` for a row that is not what it was when the pool was read. */
export async function rowDetail(
  opened: OpenedPool,
  { address, episode, line, filter, model }: RowRequest,
  openProcessor: (folder: string) => Promise<Processor>,
): Promise<RowDetail> {
  const { row, item } = opened.find(episode, line) ?? noSuchRow(opened, episode, line);
  const raw = await readRow(row);
  const encoded = await encode(raw, model, openProcessor);
  const tokens = 'fault' in encoded ? null : encoded;
  return {
    item,
    pool: address,
    file: `${path.join(row.folder, 'rows.jsonl')}:${row.line}`,
    messages: shownMessages(raw.messages),
    images: row.images.map(({ path: file, width, height, bytes }, index) => ({
      name: path.relative(row.folder, file),
      width,
      height,
      bytes,
      tokens: tokens?.imageTokens[index] ?? null,
    })),
    target: raw.target,
    marks: actionMarks(raw.target, raw.messages),
    tokens: tokens?.tokens ?? null,
    fault: 'fault' in encoded ? encoded.fault : null,
    fallback: tokens?.fallback ?? null,
    totalTokens: tokens?.totalTokens ?? null,
    model: model.name,
    ...opened.around(item.index, filter),
  };
}

export function noSuchRow(opened: OpenedPool, episode: string, line: number): never {
  const bad = opened.pool.bad.find(
    (each) => each.line === line && each.file.endsWith(`${path.sep}${episode}${path.sep}rows.jsonl`),
  );
  if (bad)
    throw new AppError(
      'bad-row',
      `${bad.file}:${bad.line} cannot be used: ${bad.message}`,
      'Correct the line, then read the pool again.',
    );
  throw new AppError(
    'no-such-row',
    `the pool has no row at line ${line} of the episode ${episode}`,
    'The line may be blank or left out on purpose (inject, aug_prefix), or the rows have changed: read the pool again.',
  );
}

async function encode(
  raw: RawRow,
  model: AskedModel,
  openProcessor: (folder: string) => Promise<Processor>,
): Promise<EncodedRow | { fault: Fault }> {
  if ('fault' in model) return model;
  try {
    return await encodeForView(await openProcessor(model.folder), raw);
  } catch (error) {
    return { fault: faultOf(error) };
  }
}

export function faultOf(error: unknown): Fault {
  if (!(error instanceof AppError)) throw error;
  return { code: error.code, message: error.message, hint: error.hint ?? null };
}
