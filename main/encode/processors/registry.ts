/** Architectures whose rows we can encode: one file each, one line here. */
import type { ProcessorArchitecture } from './architecture.ts';
import { qwen35 } from './qwen3-5.ts';
import { qwen3Vl } from './qwen3-vl.ts';

export const architectures: readonly ProcessorArchitecture[] = [qwen35, qwen3Vl];
