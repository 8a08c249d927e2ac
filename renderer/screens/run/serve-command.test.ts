import { describe, expect, it } from 'vitest';
import { serveCommand, shellWord } from './serve-command.ts';

describe('serveCommand', () => {
  it('names model and adapter', () => {
    expect(serveCommand({ model: 'Qwen/Qwen3.5-4B', name: 'select', folder: '/a/rows_5000', rank: 16 })).toBe(
      'vllm serve Qwen/Qwen3.5-4B --enable-lora --lora-modules select=/a/rows_5000',
    );
  });

  it('says a rank that vLLM would refuse, and quotes what a shell would split', () => {
    expect(serveCommand({ model: '/my models/q', name: 'a', folder: "/it's", rank: 64 })).toBe(
      `vllm serve '/my models/q' --enable-lora --max-lora-rank 64 --lora-modules 'a=/it'\\''s'`,
    );
    expect(shellWord('')).toBe("''");
  });
});
