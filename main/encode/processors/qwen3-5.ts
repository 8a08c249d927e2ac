/** Qwen3.5 (and models trained from it): letters and combining marks go together, a digit is a token. */
import type { ProcessorArchitecture } from './architecture.ts';

export const qwen35: ProcessorArchitecture = {
  modelType: 'qwen3_5',
  splitPattern: String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  defaultSpecialTokens: { unk_token: '<|endoftext|>', eos_token: '<|endoftext|>', pad_token: '<|endoftext|>' },
  endToken: '<|im_end|>',
  imageToken: '<|image_pad|>',
  foreignPlaceholders: ['<|video_pad|>'],
};
