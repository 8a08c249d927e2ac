import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkInitAdapter } from './init-adapter.ts';
import { parseWebmixSettings } from './settings.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'adapter-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const fits = { r: 16, lora_alpha: 32, base_model_name_or_path: 'org/base', peft_type: 'LORA', rank_pattern: {} };
const check = (settings = {}) =>
  checkInitAdapter(parseWebmixSettings({ adapter: 'drag', initAdapter: folder, ...settings }), 'org/base');

function adapter(config: unknown): void {
  writeFileSync(path.join(folder, 'adapter_model.safetensors'), '');
  writeFileSync(path.join(folder, 'adapter_config.json'), typeof config === 'string' ? config : JSON.stringify(config));
}

it('takes an adapter that fits, and none', () => {
  adapter(fits);
  expect(check()).toEqual([]);
  expect(check({ initAdapter: null })).toEqual([]);
});

it('warns of another base model', () => {
  adapter({ ...fits, base_model_name_or_path: 'org/other' });
  expect(check()).toEqual([{ code: 'init-adapter-base', message: expect.stringContaining('org/other') }]);
});

it.each([
  [{ ...fits, r: 64 }, 'init-adapter-differs', 'has rank 64, this run 16'],
  [{ ...fits, lora_alpha: 16 }, 'init-adapter-differs', 'has alpha 16, this run 32'],
  [{ ...fits, use_rslora: true }, 'init-adapter-differs', 'is not a plain LoRA'],
  [{ ...fits, rank_pattern: { q_proj: 4 } }, 'init-adapter-differs', 'is not a plain LoRA'],
  [{ ...fits, r: undefined }, 'no-init-adapter', 'r is missing or misshapen'],
  ['{', 'no-init-adapter', 'cannot be used'],
])('refuses %j', (config, code, message) => {
  adapter(config);
  expect(() => check()).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
});

it('refuses a folder that is no adapter', () => {
  expect(() => check()).toThrow(`${folder} is no adapter: it has no adapter_config.json`);
});
