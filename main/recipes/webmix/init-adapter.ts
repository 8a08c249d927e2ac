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

/**
 * @param modelName what this run's base model is called; another one in the adapter is a warning, since an init swap is an experiment.
 * Throws AppError: no-init-adapter, init-adapter-differs, file faults.
 */
export function checkInitAdapter(settings: WebmixSettings, modelName: string): CensusWarning[] {
  if (settings.initAdapter === null) return [];
  const folder = settings.initAdapter;
  const config = readConfig(folder);
  const differs = (what: string, hint: string): AppError =>
    new AppError('init-adapter-differs', `the initial adapter ${folder} ${what}`, hint);
  if (config.r !== settings.rank)
    throw differs(`has rank ${config.r}, this run ${settings.rank}`, `Give --rank ${config.r}, or another adapter.`);
  if (config.lora_alpha !== settings.alpha)
    throw differs(
      `has alpha ${config.lora_alpha}, this run ${settings.alpha}`,
      `Give --alpha ${config.lora_alpha}, or another adapter.`,
    );
  const patterns = [config.rank_pattern, config.alpha_pattern].some((p) => Object.keys(p ?? {}).length > 0);
  if ((config.peft_type ?? 'LORA') !== 'LORA' || config.use_rslora || config.use_dora || patterns)
    throw differs(
      'is not a plain LoRA (another method, rsLoRA, DoRA, or ranks by module)',
      'Start from a LoRA with one rank and one alpha.',
    );
  const base = config.base_model_name_or_path;
  if (!base || base === modelName) return [];
  return [
    {
      code: 'init-adapter-base',
      message: `the initial adapter was trained on ${base}, this run's base model is ${modelName}`,
    },
  ];
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
