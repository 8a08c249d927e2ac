/**
 * A look at the adapter that a run starts from, before anything is encoded or loaded: is it one, does it scale as this run will, was it trained on the same
 * model. Names and shapes of its tensors are checked by the trainer, which has the model; target modules are a pattern in some adapters and a list in others.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { CensusWarning } from '../../contract/census.ts';
import { AppError } from '../../contract/errors.ts';
import { fileError } from '../../io/atomic-file.ts';
import { readSafetensorsHeader } from '../../io/safetensors-header.ts';
import type { WebmixSettings } from './settings.ts';

const configSchema = z.object({
  r: z.int(),
  lora_alpha: z.number(),
  base_model_name_or_path: z.string().nullish(),
  peft_type: z.string().nullish(),
  use_rslora: z.boolean().nullish(),
  use_dora: z.boolean().nullish(),
  rank_pattern: z.record(z.string(), z.unknown()).nullish(),
  alpha_pattern: z.record(z.string(), z.unknown()).nullish(),
});

/** What an adapter's folder says about itself, for people. */
export interface InitAdapter {
  path: string;
  rank: number;
  alpha: number;
  /** What its base model is called; '' where it does not say. */
  base: string;
  tensors: number;
}

/** Throws AppError: no-init-adapter, file faults. */
export function describeInitAdapter(folder: string): InitAdapter {
  const config = readConfig(folder);
  return {
    path: folder,
    rank: config.r,
    alpha: config.lora_alpha,
    base: config.base_model_name_or_path ?? '',
    tensors: readSafetensorsHeader(path.join(folder, 'adapter_model.safetensors')).size,
  };
}

export interface InitAdapterFault {
  setting: 'initAdapter' | 'rank' | 'alpha';
  message: string;
  hint: string;
  /** What would settle it. */
  settings?: { rank?: number; alpha?: number };
}

/** Everything that keeps a run from starting at this adapter. Throws AppError: no-init-adapter, file faults. */
export function initAdapterFaults(
  settings: Pick<WebmixSettings, 'rank' | 'alpha'>,
  folder: string,
): InitAdapterFault[] {
  const config = readConfig(folder);
  const faults: InitAdapterFault[] = [];
  const what = `the initial adapter ${folder}`;
  if (config.r !== settings.rank)
    faults.push({
      setting: 'rank',
      message: `${what} has rank ${config.r}, this run ${settings.rank}`,
      hint: `Give --rank ${config.r}, or another adapter.`,
      settings: { rank: config.r },
    });
  if (config.lora_alpha !== settings.alpha)
    faults.push({
      setting: 'alpha',
      message: `${what} has alpha ${config.lora_alpha}, this run ${settings.alpha}`,
      hint: `Give --alpha ${config.lora_alpha}, or another adapter.`,
      settings: { alpha: config.lora_alpha },
    });
  const patterns = [config.rank_pattern, config.alpha_pattern].some((p) => Object.keys(p ?? {}).length > 0);
  if ((config.peft_type ?? 'LORA') !== 'LORA' || config.use_rslora || config.use_dora || patterns)
    faults.push({
      setting: 'initAdapter',
      message: `${what} is not a plain LoRA (another method, rsLoRA, DoRA, or ranks by module)`,
      hint: 'Start from a LoRA with one rank and one alpha.',
    });
  return faults;
}

/** An init swap is an experiment: said, not refused. Throws as `describeInitAdapter`. */
export function initAdapterWarnings(folder: string, modelName: string): CensusWarning[] {
  const base = readConfig(folder).base_model_name_or_path;
  if (!base || base === modelName) return [];
  return [
    {
      code: 'init-adapter-base',
      message: `the initial adapter was trained on ${base}, this run's base model is ${modelName}`,
    },
  ];
}

/**
 * @param modelName what this run's base model is called; another one in the adapter is a warning.
 * Throws AppError: no-init-adapter, init-adapter-differs, file faults.
 */
export function checkInitAdapter(settings: WebmixSettings, modelName: string): CensusWarning[] {
  const { initAdapter: folder } = settings;
  if (folder === null) return [];
  const [fault] = initAdapterFaults(settings, folder);
  if (fault) throw new AppError('init-adapter-differs', fault.message, fault.hint);
  return initAdapterWarnings(folder, modelName);
}

function readConfig(folder: string): z.infer<typeof configSchema> {
  const missing = ['adapter_config.json', 'adapter_model.safetensors'].find((n) => !existsSync(path.join(folder, n)));
  if (missing !== undefined)
    throw new AppError(
      'no-init-adapter',
      `${folder} is no adapter: it has no ${missing}`,
      "Give the folder that holds adapter_config.json and adapter_model.safetensors (a run's output, or one of its checkpoints).",
    );
  const file = path.join(folder, 'adapter_config.json');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw fileError(error, 'read', file);
  }
  try {
    return configSchema.parse(JSON.parse(text));
  } catch (error) {
    const why =
      error instanceof z.ZodError ? `${error.issues[0]?.path.join('.') ?? ''} is missing or misshapen` : String(error);
    throw new AppError('no-init-adapter', `${file} cannot be used: ${why}`, 'Give the folder of a LoRA adapter.', {
      cause: error,
    });
  }
}
