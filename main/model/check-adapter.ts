/** Cheap checks of an adapter that a run starts from. Tensors are the trainer's to check: it knows which weights the model has. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { AppError } from '../contract/errors.ts';

const configSchema = z.object({
  r: z.number(),
  lora_alpha: z.number(),
  base_model_name_or_path: z.string().nullish(),
});

/** Throws AppError: no-such-adapter, adapter-config, adapter-differs. Gives the base model's name as the adapter has it. */
export function checkAdapter(folder: string, wanted: { rank: number; alpha: number }): { baseModel: string | null } {
  const refuse = (what: string): AppError =>
    new AppError(
      'no-such-adapter',
      `there is no adapter in ${folder}: ${what}`,
      'Give the folder of a PEFT adapter with --init-adapter.',
    );
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw refuse('no such folder');
  for (const name of ['adapter_config.json', 'adapter_model.safetensors'])
    if (!existsSync(path.join(folder, name))) throw refuse(`${name} is missing`);
  const file = path.join(folder, 'adapter_config.json');
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new AppError('adapter-config', `${file} is no valid JSON`, 'Save the adapter again.', { cause: error });
  }
  const config = configSchema.safeParse(value);
  if (!config.success)
    throw new AppError('adapter-config', `${file} does not say r and lora_alpha`, 'Save the adapter again with PEFT.');
  const { r, lora_alpha: alpha } = config.data;
  if (r !== wanted.rank || alpha !== wanted.alpha)
    throw new AppError(
      'adapter-differs',
      `the adapter in ${folder} has rank ${r} and alpha ${alpha}, the run has rank ${wanted.rank} and alpha ${wanted.alpha}`,
      `An adapter goes on with its own: --rank ${r} --alpha ${alpha}`,
    );
  return { baseModel: config.data.base_model_name_or_path ?? null };
}
