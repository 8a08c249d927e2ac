/** Answers of native/reference/verify.py, parsed. Numbers that are not finite come as words, since JSON has none. */
import { z } from 'zod';
import type { Computed } from './judge.ts';

const number = z
  .union([z.number(), z.enum(['nan', 'inf', '-inf'])])
  .transform((value) => (typeof value === 'number' ? value : NaN));

export const aboutSchema = z.object({
  executable: z.string(),
  python: z.string(),
  torch: z.string(),
  transformers: z.string(),
  peft: z.string(),
  tokenizers: z.string(),
  torchvision: z.boolean(),
  fla: z.boolean(),
  cuda: z.boolean(),
});
export type AboutPython = z.infer<typeof aboutSchema>;

export const openedProcessorSchema = z.object({
  processor: z.string(),
  tokenizer: z.string(),
  image_processor: z.string(),
  with_torchvision: z.boolean(),
  note: z.string().nullable(),
});

export const encodedSchema = z.object({
  ids: z.array(z.int()),
  targets: z.int(),
  action: z.array(z.int()),
  grids: z.array(z.array(z.int())),
  pixels: z.array(z.string()),
  pil_levels: z.number(),
});

export const openedModelSchema = z.object({
  model: z.string(),
  /** Of a new adapter: B's standard deviation, and how far it moves log-probs in the mean. */
  made: z.object({ deviation: z.number(), moved: number }).nullable(),
  tensors: z.int(),
  /** Of the adapter in float32. */
  bytes: z.number(),
});

const otherTensors = z.object({ other: z.array(z.string()).min(1), count: z.int() });
const comparedTensors = z.object({
  ...{ tensors: z.int(), mean: number, max: number, worst: z.string() },
  ...{ ours_square: number, theirs_square: number },
});

export const computedSchema = z
  .object({
    sum: number,
    log_probs: z.object({ mean: number, p99: number, max: number, at: z.int(), ours: number, theirs: number }),
    gradients: z.union([otherTensors, comparedTensors]),
    distance: z.object({ moved: number, gain: number, slope: number }).nullable(),
  })
  .transform(({ sum, log_probs, gradients, distance }): Computed => {
    if ('other' in gradients) return { sum, logProbs: log_probs, gradients, distance };
    const { ours_square: oursSquare, theirs_square: theirsSquare, ...rest } = gradients;
    return { sum, logProbs: log_probs, gradients: { other: [], ...rest, oursSquare, theirsSquare }, distance };
  });
