/**
 * A model folder's processor: tokenizer, chat template and image settings, read from its files and checked against each other. Its `id` names everything that
 * encoded rows depend on besides the rows, so rows encoded with other files are never mixed up.
 */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Tokenizer } from 'tokenizers';
import { z } from 'zod';
import { AppError } from '../contract/errors.ts';
import { fileError } from '../io/atomic-file.ts';
import { ChatTemplate } from './chat-template.ts';
import { imageProcessorSchema, imageSettings } from './image-settings.ts';
import type { ImageSettings } from './image-settings.ts';
import type { ProcessorArchitecture } from './processors/architecture.ts';
import { architectures } from './processors/registry.ts';
import { buildTokenizer, tokenizerConfigSchema, tokenizerJsonSchema } from './tokenizer.ts';

/** Raise it whenever the same row and the same files would be encoded otherwise. */
const encoderVersion = 1;

export interface Processor {
  /** Hex; equal ids encode equally. */
  id: string;
  folder: string;
  architecture: ProcessorArchitecture;
  tokenizer: Tokenizer;
  template: ChatTemplate;
  image: ImageSettings;
  /** No token id reaches this number: rows of the model's embedding table. */
  vocabSize: number;
  /** Tokens that a row may have, as config.json has it; null where it says nothing. */
  context: number | null;
  imageTokenId: number;
  endTokenId: number;
  /** Ids of placeholders that a row must not hold. */
  foreignIds: ReadonlyMap<number, string>;
}

const modelConfigSchema = z.object({
  model_type: z.string(),
  image_token_id: z.int().nonnegative().optional(),
  vocab_size: z.int().positive().optional(),
  max_position_embeddings: z.int().positive().optional(),
  text_config: z
    .object({ vocab_size: z.int().positive(), max_position_embeddings: z.int().positive().optional() })
    .optional(),
  vision_config: z
    .object({ patch_size: z.int(), spatial_merge_size: z.int(), temporal_patch_size: z.int() })
    .partial()
    .optional(),
});

/** `modelFolder`: a folder as models are published in, or one with the processor's files alone (config.json has to be there). Throws AppError. */
export function openProcessor(modelFolder: string): Promise<Processor> {
  // The work is synchronous; a promise, so that what it throws arrives like every other fault and callers do not depend on that.
  return Promise.resolve().then(() => readProcessor(modelFolder));
}

function readProcessor(folder: string): Processor {
  requireFolder(folder);
  const files = new Map<string, Buffer>();
  const read = (name: string): Buffer | null => {
    const bytes = readOptional(path.join(folder, name));
    if (bytes !== null) files.set(name, bytes);
    return bytes;
  };
  const model = parseFile(folder, 'config.json', readOptional(path.join(folder, 'config.json')), modelConfigSchema);
  const architecture = architectures.find(({ modelType }) => modelType === model.model_type);
  if (architecture === undefined) throw unknownArchitecture(folder, model.model_type);
  const vocabSize = model.text_config?.vocab_size ?? model.vocab_size;
  if (vocabSize === undefined)
    throw new AppError('model-config', `${folder}/config.json says no vocab_size`, 'Fetch it again.');

  const context = model.text_config?.max_position_embeddings ?? model.max_position_embeddings ?? null;

  const tokenizerJson = parseFile(folder, 'tokenizer.json', read('tokenizer.json'), tokenizerJsonSchema);
  const tokenizerConfig = parseFile(
    folder,
    'tokenizer_config.json',
    read('tokenizer_config.json'),
    tokenizerConfigSchema,
  );
  const { tokenizer, idEnd, specialTokens } = buildTokenizer(folder, tokenizerJson, tokenizerConfig, architecture);
  if (idEnd > vocabSize) {
    throw new AppError(
      'tokenizer-too-large',
      `the tokenizer in ${folder} has ids up to ${idEnd - 1}, the model's vocabulary ends at ${vocabSize - 1}`,
      "Take the tokenizer files that were published with the model: ids beyond the model's table have no embedding.",
    );
  }
  const image = readImageSettings(folder, read);
  checkVision(folder, image, model.vision_config);
  const template = readTemplate(folder, read, tokenizerConfig, specialTokens);
  const imageTokenId = requireToken(folder, tokenizer, architecture.imageToken, 'image placeholder');
  if (model.image_token_id !== undefined && model.image_token_id !== imageTokenId) {
    throw new AppError(
      'image-token',
      `${folder}: config.json gives the image placeholder the id ${model.image_token_id}, the tokenizer gives ${architecture.imageToken} ${imageTokenId}`,
      'Take config.json and tokenizer.json from the same model.',
    );
  }
  return {
    id: identity(files, [architecture.modelType, vocabSize, context]),
    folder,
    architecture,
    tokenizer,
    template,
    image,
    vocabSize,
    context,
    imageTokenId,
    endTokenId: requireToken(folder, tokenizer, architecture.endToken, 'end token'),
    foreignIds: new Map(
      architecture.foreignPlaceholders.flatMap((token) => {
        const id = tokenizer.tokenToId(token);
        return id === null ? [] : [[id, token] as const];
      }),
    ),
  };
}

/** Of config.json only what the encoding depends on counts: models trained from one another share their encoded rows. */
function identity(files: ReadonlyMap<string, Buffer>, ofModel: readonly unknown[]): string {
  const hash = createHash('sha256').update(JSON.stringify(['whetstone-processor', encoderVersion, ...ofModel]));
  for (const [name, bytes] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`\0${name}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex').slice(0, 40);
}

function requireFolder(folder: string): void {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return;
  throw new AppError(
    'model-missing',
    stats ? `${folder} is not a folder` : `there is no model folder ${folder}`,
    'Give a folder with config.json, tokenizer.json and the other files of the model.',
  );
}

function unknownArchitecture(folder: string, modelType: string): AppError {
  const known = architectures.map((architecture) => architecture.modelType).join(', ');
  return new AppError(
    'model-unknown',
    `the model in ${folder} is of the type "${modelType}", which cannot be encoded yet`,
    `Known types: ${known}. A new one is a file in main/encode/processors and a line in its registry.`,
  );
}

function readImageSettings(folder: string, read: (name: string) => Buffer | null): ImageSettings {
  // As the Python library has it: a processor_config.json counts first, if it holds the image processor.
  const combined = read('processor_config.json');
  if (combined !== null) {
    const nested = parseFile(
      folder,
      'processor_config.json',
      combined,
      z.object({ image_processor: z.unknown() }),
    ).image_processor;
    if (nested !== undefined) {
      const file = `${path.join(folder, 'processor_config.json')} (image_processor)`;
      return imageSettings(file, check(file, nested, imageProcessorSchema));
    }
  }
  const name = 'preprocessor_config.json';
  return imageSettings(path.join(folder, name), parseFile(folder, name, read(name), imageProcessorSchema));
}

function checkVision(
  folder: string,
  image: ImageSettings,
  vision: z.infer<typeof modelConfigSchema>['vision_config'],
): void {
  const pairs = [
    ['patch_size', vision?.patch_size, image.patch],
    ['spatial_merge_size', vision?.spatial_merge_size, image.merge],
    ['temporal_patch_size', vision?.temporal_patch_size, image.temporalPatch],
  ] as const;
  for (const [name, ofModel, ofProcessor] of pairs) {
    if (ofModel === undefined || ofModel === ofProcessor) continue;
    throw new AppError(
      'processor-mismatch',
      `${folder}: the model's ${name} is ${ofModel}, the image processor's is ${ofProcessor}`,
      'Take the processor that belongs to the model.',
    );
  }
}

function readTemplate(
  folder: string,
  read: (name: string) => Buffer | null,
  config: z.infer<typeof tokenizerConfigSchema>,
  specialTokens: Readonly<Record<string, string>>,
): ChatTemplate {
  const source =
    read('chat_template.jinja')?.toString('utf8') ??
    templateOf(read('chat_template.json')) ??
    defaultTemplate(config['chat_template']);
  if (source === undefined) {
    throw new AppError(
      'chat-template-missing',
      `${folder} has no chat template`,
      'It belongs in chat_template.jinja or tokenizer_config.json.',
    );
  }
  try {
    return new ChatTemplate(source, specialTokens);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new AppError(
      'chat-template-broken',
      `the chat template in ${folder} cannot be read: ${why}`,
      'Fetch it again.',
      { cause: error },
    );
  }
}

function templateOf(bytes: Buffer | null): string | undefined {
  if (bytes === null) return undefined;
  return z.object({ chat_template: z.string() }).safeParse(JSON.parse(bytes.toString('utf8'))).data?.chat_template;
}

/** tokenizer_config.json holds one template or a list of named ones. */
function defaultTemplate(value: unknown): string | undefined {
  const schema = z.union([z.string(), z.array(z.object({ name: z.string(), template: z.string() }))]);
  const templates = schema.safeParse(value).data;
  return typeof templates === 'object' ? templates.find(({ name }) => name === 'default')?.template : templates;
}

function requireToken(folder: string, tokenizer: Tokenizer, token: string, role: string): number {
  const id = tokenizer.tokenToId(token);
  if (id !== null) return id;
  throw new AppError(
    'token-missing',
    `the tokenizer in ${folder} has no ${role} ${token}`,
    'Take the tokenizer that was published with the model.',
  );
}

function readOptional(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw fileError(error, 'read', file);
  }
}

function parseFile<Schema extends z.ZodType>(
  folder: string,
  name: string,
  bytes: Buffer | null,
  schema: Schema,
): z.infer<Schema> {
  const file = path.join(folder, name);
  if (bytes === null) {
    throw new AppError(
      'model-file-missing',
      `${file} is missing`,
      'The folder has to hold the files of the model as they were published.',
    );
  }
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new AppError('model-file-broken', `${file} is not valid JSON: ${why}`, 'Fetch it again.', { cause: error });
  }
  return check(file, value, schema);
}

function check<Schema extends z.ZodType>(file: string, value: unknown, schema: Schema): z.infer<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues
    .slice(0, 3)
    .map(({ path: place, message }) => `${place.join('.') || 'the whole'}: ${message}`);
  throw new AppError(
    'model-file-broken',
    `${file} is not as expected: ${issues.join('; ')}`,
    'Fetch it again from where the model was published.',
  );
}
