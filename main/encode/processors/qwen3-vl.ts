/** Qwen3-VL (GUI-Owl 1.5 among others): Qwen2's tokenizer class. */
import type { ProcessorArchitecture } from './architecture.ts';

export const qwen3Vl: ProcessorArchitecture = {
  modelType: 'qwen3_vl',
  splitPattern: String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  defaultSpecialTokens: { unk_token: '<|endoftext|>', eos_token: '<|endoftext|>', pad_token: '<|endoftext|>' },
  endToken: '<|im_end|>',
  imageToken: '<|image_pad|>',
  foreignPlaceholders: ['<|video_pad|>'],
};
