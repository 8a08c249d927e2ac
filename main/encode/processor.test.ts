import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openProcessor } from './processor.ts';

/** A JSON file that tests reach into. */
type Loose = Record<string, any>;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'whetstone-'));
  cpSync(path.join(import.meta.dirname, 'golden', 'processor'), folder, { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const json = (name: string): Loose => JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as Loose;
const change = (name: string, work: (value: Loose) => void): void => {
  const value = json(name);
  work(value);
  writeFileSync(path.join(folder, name), JSON.stringify(value));
};

test('tokens that only the configuration knows, and the id of the whole', async () => {
  const processor = await openProcessor(folder);
  expect(processor.tokenizer.tokenToId('<|box_end|>')).not.toBeNull();
  expect(processor).toMatchObject({
    vocabSize: 2048,
    image: { patch: 16, merge: 2, minPixels: 65536, maxPixels: 16777216 },
  });
  expect(processor.imageTokenId).toBe(json('config.json')['image_token_id']);
  const again = await openProcessor(folder);
  expect(again.id).toBe(processor.id);
  // What does not matter to encoding does not change it; what does, does.
  change('config.json', (config) => (config['dtype'] = 'bfloat16'));
  expect((await openProcessor(folder)).id).toBe(processor.id);
  writeFileSync(
    path.join(folder, 'chat_template.jinja'),
    `${readFileSync(path.join(folder, 'chat_template.jinja'), 'utf8')} `,
  );
  expect((await openProcessor(folder)).id).not.toBe(processor.id);
});

test('settings in processor_config.json count first, a template in the configuration last', async () => {
  const image = json('preprocessor_config.json');
  writeFileSync(
    path.join(folder, 'processor_config.json'),
    JSON.stringify({ image_processor: { ...image, min_pixels: 1024, max_pixels: 4096 } }),
  );
  const template = readFileSync(path.join(folder, 'chat_template.jinja'), 'utf8');
  change('tokenizer_config.json', (config) => (config['chat_template'] = template));
  rmSync(path.join(folder, 'chat_template.jinja'));
  const { image: settings, template: found } = await openProcessor(folder);
  expect(settings).toMatchObject({ minPixels: 1024, maxPixels: 4096 });
  expect(found.render([{ role: 'user', content: [{ type: 'text', text: 'hi' }] }])).toMatch(/user\nhi/);
});

test.each<[code: string, message: RegExp, work: () => void]>([
  ['model-missing', /no model folder/, () => rmSync(folder, { recursive: true })],
  ['model-file-missing', /config\.json is missing/, () => rmSync(path.join(folder, 'config.json'))],
  ['model-file-missing', /tokenizer\.json is missing/, () => rmSync(path.join(folder, 'tokenizer.json'))],
  [
    'model-file-missing',
    /preprocessor_config\.json is missing/,
    () => rmSync(path.join(folder, 'preprocessor_config.json')),
  ],
  ['model-file-broken', /not valid JSON/, () => writeFileSync(path.join(folder, 'tokenizer.json'), '{"model":')],
  [
    'model-file-broken',
    /patch_size/,
    () => change('preprocessor_config.json', (config) => delete config['patch_size']),
  ],
  ['model-unknown', /"gemma4"/, () => change('config.json', (config) => (config['model_type'] = 'gemma4'))],
  [
    'tokenizer-too-large',
    /ends at 1023/,
    () => change('config.json', (config) => (config['text_config'].vocab_size = 1024)),
  ],
  ['image-token', /config\.json gives/, () => change('config.json', (config) => (config['image_token_id'] = 3))],
  [
    'processor-mismatch',
    /patch_size is 14/,
    () => change('config.json', (config) => (config['vision_config'].patch_size = 14)),
  ],
  [
    'processor-unsupported',
    /do_resize/,
    () => change('preprocessor_config.json', (config) => (config['do_resize'] = false)),
  ],
  ['processor-config', /min_pixels/, () => change('preprocessor_config.json', (config) => delete config['size'])],
  ['chat-template-missing', /no chat template/, () => rmSync(path.join(folder, 'chat_template.jinja'))],
  ['chat-template-broken', /cannot be read/, () => writeFileSync(path.join(folder, 'chat_template.jinja'), '{% if %}')],
  [
    'tokenizer-unsupported',
    /add_bos_token/,
    () => change('tokenizer_config.json', (config) => (config['add_bos_token'] = true)),
  ],
  [
    'tokenizer-ids',
    /do not belong|gives/,
    () =>
      change('tokenizer_config.json', (config) => {
        const decoder = config['added_tokens_decoder'] as Record<string, unknown>;
        const [first] = Object.keys(decoder);
        decoder['2000'] = decoder[first!];
        Reflect.deleteProperty(decoder, first!);
      }),
  ],
  [
    'token-missing',
    /image placeholder/,
    () => {
      change('tokenizer_config.json', (config) => {
        config['image_token'] = null;
        for (const token of Object.values(config['added_tokens_decoder'] as Record<string, Loose>))
          token['content'] = String(token['content']).replace('image_pad', 'other_pad');
      });
    },
  ],
])('%s: %s', async (code, message, work) => {
  work();
  await expect(openProcessor(folder)).rejects.toMatchObject({
    name: 'AppError',
    code,
    message: expect.stringMatching(message),
    hint: expect.any(String),
  });
});
