/** How many parameters a plan trains, exactly, from the headers of the weight files: no tensor is read. */
import path from 'node:path';
import { AppError } from '../../contract/errors.ts';
import type { PlanAdapter } from '../../contract/plan.ts';
import { readSafetensorsHeader } from '../../io/safetensors-header.ts';
import { checkModel } from '../../model/check-model.ts';

/** Linear layers of the language model alone; heads for several tokens ahead and the vision tower are not adapted. */
const linearPattern = /^model\.language_model\.layers\.\d+\.(?:.*\.)?(\w+)\.weight$/;

/**
 * An adapter that is loaded has the tensors of its file; a new one has rank x (inputs + outputs) for every linear layer whose leaf name is a target.
 * null where the files do not tell.
 */
export function countTrainable(adapter: PlanAdapter | undefined, modelFolder: string): number | null {
  if (!adapter) return null;
  try {
    if (adapter.init.kind === 'load') {
      const tensors = readSafetensorsHeader(path.join(adapter.init.path, 'adapter_model.safetensors'));
      let sum = 0;
      for (const [name, { shape }] of tensors)
        if (/\.lora_[AB]\./.test(name)) sum += shape.reduce((product, size) => product * size, 1);
      return sum || null;
    }
    const targets = new Set(adapter.targets);
    let sum = 0;
    for (const shard of checkModel(modelFolder).shards)
      for (const [name, { shape }] of readSafetensorsHeader(shard)) {
        const leaf = linearPattern.exec(name)?.[1];
        const [outputs, inputs] = shape;
        if (leaf !== undefined && targets.has(leaf) && shape.length === 2 && outputs && inputs)
          sum += adapter.rank * (inputs + outputs);
      }
    return sum || null;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
