/**
 * Cheap checks of a model's folder before rows are encoded and a GPU is taken: an architecture that the trainer knows, and weights that are all there and
 * whole, by the sizes that their headers tell. Tensors are not read; the trainer checks names and shapes.
 */
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { AppError } from '../contract/errors.ts';
import { fileError } from '../io/atomic-file.ts';

/** config.json's model_type of what the trainer can load. */
export const knownModelTypes: readonly string[] = ['qwen3_5'];

export interface CheckedModel {
  modelType: string;
  /** Weight files, absolute. */
  shards: string[];
  /** Of all shards together. */
  bytes: number;
}

const again = 'Fetch it again: hf download checks what is there and brings what is missing.';

const configSchema = z.object({
  model_type: z.string(),
  image_token_id: z.int().optional(),
  vocab_size: z.int().optional(),
  text_config: z.object({ vocab_size: z.int().optional() }).optional(),
});
const indexSchema = z.object({ weight_map: z.record(z.string(), z.string()) });

/**
 * Throws AppError: model-config, model-unknown, model-weights-missing, model-shard-missing, model-shard-damaged, tokenizer-missing, processor-foreign.
 * `processorFolder` is where tokenizer and templates are taken from, if not from the model.
 */
export function checkModel(folder: string, processorFolder: string = folder): CheckedModel {
  const config = readJson(path.join(folder, 'config.json'), configSchema);
  const modelType = config.model_type;
  if (!knownModelTypes.includes(modelType))
    throw new AppError(
      'model-unknown',
      `the model in ${folder} is of the type ${JSON.stringify(modelType)}, which the trainer does not know`,
      `It knows ${knownModelTypes.join(', ')}.`,
    );
  const shards = weightFiles(folder);
  let bytes = 0;
  for (const shard of shards) bytes += checkShard(shard);
  if (!existsSync(path.join(processorFolder, 'tokenizer.json')))
    throw new AppError(
      'tokenizer-missing',
      `there is no tokenizer in ${processorFolder}: tokenizer.json is missing`,
      processorFolder === folder
        ? 'Fetch it again, or give the folder of a processor with --processor.'
        : 'Give another folder with --processor, or leave it out: then the model has to bring its own.',
    );
  if (processorFolder !== folder) checkPair(folder, config, processorFolder);
  return { modelType, shards, bytes };
}

type Config = z.output<typeof configSchema>;

/** A processor of another folder has to be for this model. Its tokenizer is held against its own config.json where it is opened, so that one stands for it here. */
function checkPair(modelFolder: string, model: Config, processorFolder: string): void {
  const processor = readJson(path.join(processorFolder, 'config.json'), configSchema);
  const vocabulary = (config: Config): number => config.text_config?.vocab_size ?? config.vocab_size ?? 0;
  const differ = (a?: number, b?: number): boolean => a !== undefined && b !== undefined && a !== b;
  const differs =
    processor.model_type !== model.model_type
      ? `is for the type ${processor.model_type}, the model is of the type ${model.model_type}`
      : vocabulary(processor) > vocabulary(model)
        ? `has a vocabulary of ${vocabulary(processor)} ids, the model has ${vocabulary(model)} embeddings`
        : differ(processor.image_token_id, model.image_token_id)
          ? `has the image placeholder at the id ${processor.image_token_id}, the model has it at ${model.image_token_id}`
          : null;
  if (differs === null) return;
  throw new AppError(
    'processor-foreign',
    `the processor in ${processorFolder} does not belong to the model in ${modelFolder}: it ${differs}`,
    "Leave --processor out to take the model's own, or give the folder that was published with this model.",
  );
}

function weightFiles(folder: string): string[] {
  const index = path.join(folder, 'model.safetensors.index.json');
  if (existsSync(index)) {
    const { weight_map: map } = readJson(index, indexSchema);
    const names = [...new Set(Object.values(map))].sort();
    const missing = names.filter((name) => !existsSync(path.join(folder, name)));
    if (missing.length > 0)
      throw new AppError(
        'model-shard-missing',
        `${missing.length} of ${names.length} weight files are missing in ${folder}: ${missing.slice(0, 5).join(', ')}${missing.length > 5 ? ', ...' : ''}`,
        again,
      );
    return names.map((name) => path.join(folder, name));
  }
  const single = path.join(folder, 'model.safetensors');
  if (existsSync(single)) return [single];
  const old = ['pytorch_model.bin', 'pytorch_model.bin.index.json'].find((name) => existsSync(path.join(folder, name)));
  throw new AppError(
    'model-weights-missing',
    `there are no weights in ${folder}: neither model.safetensors nor model.safetensors.index.json${old ? ` (${old} cannot be read)` : ''}`,
    old ? 'Save the model as safetensors: model.save_pretrained(folder) in transformers does.' : again,
  );
}

/** Bytes of the file, which its header has to agree with. */
function checkShard(file: string): number {
  let handle: number;
  try {
    handle = openSync(file, 'r');
  } catch (error) {
    throw fileError(error, 'read', file);
  }
  try {
    const { size } = fstatSync(handle);
    const damaged = (what: string): AppError =>
      new AppError('model-shard-damaged', `${file} is damaged: ${what}`, again);
    const prefix = Buffer.alloc(8);
    if (size < 8 || readSync(handle, prefix, 0, 8, 0) < 8) throw damaged(`it is ${size} bytes long`);
    const length = Number(prefix.readBigUInt64LE());
    if (length > size - 8 || length > 256 << 20)
      throw damaged(`its header is said to be ${length} bytes long, the file is ${size}`);
    const header = Buffer.alloc(length);
    if (readSync(handle, header, 0, length, 8) < length) throw damaged('its header is cut off');
    let end = 0;
    try {
      const tensors = JSON.parse(header.toString('utf8')) as Record<string, { data_offsets?: [number, number] }>;
      for (const tensor of Object.values(tensors)) end = Math.max(end, tensor.data_offsets?.[1] ?? 0);
    } catch {
      throw damaged('its header is no JSON');
    }
    const whole = 8 + length + end;
    if (size < whole) throw damaged(`it ends after ${size} of ${whole} bytes (a download that was cut off)`);
    return size;
  } finally {
    closeSync(handle);
  }
}

function readJson<S extends z.ZodType>(file: string, schema: S): z.output<S> {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile())
    throw new AppError(
      'model-config',
      `${file} is not there`,
      'Give the folder of a model: config.json has to be in it.',
    );
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new AppError(
      'model-config',
      `${file} is no valid JSON: ${error instanceof Error ? error.message : String(error)}`,
      again,
      { cause: error },
    );
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new AppError(
    'model-config',
    `${file}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is not as expected'}`,
    again,
  );
}
