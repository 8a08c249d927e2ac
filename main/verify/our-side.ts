/** What the trainer makes of the rows: encodings out of the cache's packs, pixels by its `decode`, log-probs and gradients by its `probe`. */
import path from 'node:path';
import { z } from 'zod';
import { AppError } from '../contract/errors.ts';
import type { EncodedRow } from '../contract/pool.ts';
import { readExample } from '../encode/pack-reader.ts';
import type { Processor } from '../encode/processor.ts';
import type { Environment } from '../paths.ts';
import { askTrainer } from '../trainer/ask-trainer.ts';
import type { RowEncoding } from './judge.ts';

interface AskedWith {
  environment: Environment;
  signal: AbortSignal | undefined;
}

const ask = (args: string[], { environment, signal }: AskedWith, input = ''): Promise<string> =>
  askTrainer(args, { environment, input, ...(signal ? { signal } : {}) });

const decodedSchema = z.union([
  z.object({ sha256: z.string() }),
  z.object({ error: z.object({ message: z.string(), hint: z.string().optional() }) }),
]);

/** Throws AppError: a pack or an image that cannot be read. */
export async function ourEncodings(
  rows: readonly EncodedRow[],
  processor: Processor,
  asked: AskedWith,
): Promise<RowEncoding[]> {
  const examples = await Promise.all(rows.map(readExample));
  const { patch, temporalPatch, merge, mean, std, rescale } = processor.image;
  const settings = { patch, temporal_patch: temporalPatch, merge, mean, std, rescale };
  const requests = examples.flatMap(({ images }) =>
    images.map(({ path: image, grid }) => ({ image, grid, ...settings })),
  );
  const hashes = requests.length === 0 ? [] : await pixelHashes(requests, asked);
  let next = 0;
  return examples.map((example) => ({
    ids: [...example.ids],
    targets: example.targetIds.length,
    action: [...(example.columns['action'] ?? [])],
    grids: example.images.map(({ grid }) => grid),
    pixels: example.images.map(() => hashes[next++] ?? ''),
  }));
}

async function pixelHashes(requests: readonly object[], asked: AskedWith): Promise<string[]> {
  const input = requests.map((request) => `${JSON.stringify(request)}\n`).join('');
  const answer = await ask(['decode', '--stdin', '--threads', '1'], asked, input);
  const lines = answer.trimEnd().split('\n');
  if (lines.length !== requests.length)
    throw new AppError(
      'trainer-answer',
      'the trainer decoded another number of images',
      'Build it anew with: npm run setup',
    );
  return lines.map((line) => {
    const decoded = decodedSchema.parse(JSON.parse(line));
    if ('error' in decoded) throw new AppError('decode', decoded.error.message, decoded.error.hint);
    return decoded.sha256;
  });
}

const visitSchema = z.object({ ordinal: z.int(), tokens: z.int(), sum: z.number(), weight: z.number() });
export type ProbedVisit = z.infer<typeof visitSchema> & { /** log_probs and gradients. */ file: string };

/** Visits of the plan, in the order given. Their files go into `folder`, which has to exist: as large as the adapter in float32, each. Throws AppError. */
export async function probe(
  planFile: string,
  ordinals: readonly number[],
  folder: string,
  asked: AskedWith,
): Promise<ProbedVisit[]> {
  const answer = await ask(['probe', '--plan', planFile, '--visits', ordinals.join(','), '--out', folder], asked);
  // The first line tells of loading.
  const visits = answer
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => visitSchema.safeParse(JSON.parse(line)).data);
  return ordinals.map((ordinal, index) => {
    const visit = visits[index];
    if (visit?.ordinal !== ordinal)
      throw new AppError(
        'trainer-answer',
        `the trainer did not answer for visit ${ordinal}`,
        'Build it anew with: npm run setup',
      );
    return { ...visit, file: path.join(folder, `visit-${ordinal}.safetensors`) };
  });
}
