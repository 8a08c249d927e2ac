/** Bad inputs that make a row impossible to encode, and adapters that a run cannot start from: each has to say which, and what to do. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { changeFirstRow, episodeWithImage, webmix, type BadInput } from './bad-input-tools.ts';
import { DEMO_ROWS, ROOT, type Product } from './product.ts';

const goldenImages = path.join(ROOT, 'main/encode/golden/refused/hard');

/** One of the demo's episodes, with images: what is wrong with one of its rows is met whatever is drawn. */
const oneEpisode = (product: Product): string => product.copyRows('rows', (episode) => episode === 'article-fact-001');

/** The demo's rows with a change in the first row that has an image. */
function rowCase(name: string, change: (row: Record<string, unknown>) => void, ...says: RegExp[]): BadInput {
  return {
    name,
    says: [/rows\.jsonl:1\b/, /hint: /, ...says],
    run(product, out) {
      const rows = oneEpisode(product);
      changeFirstRow(episodeWithImage(rows).file, change);
      return product.run(webmix(out, rows));
    },
  };
}

/** The same with another picture under the first row's name. */
function imageCase(name: string, picture: string, ...says: RegExp[]): BadInput {
  return {
    name,
    says: [/rows\.jsonl:1\b/, /step-00\.png/, ...says],
    run(product, out) {
      const rows = oneEpisode(product);
      const { folder, image } = episodeWithImage(rows);
      cpSync(path.join(goldenImages, picture), path.join(folder, image));
      return product.run(webmix(out, rows));
    },
  };
}

const lastText = (row: Record<string, unknown>, add: string): void => {
  (row['messages'] as Record<string, unknown>[]).push({ role: 'user', content: [{ type: 'text', text: add }] });
};

interface ModelConfig {
  text_config: { vocab_size: number; max_position_embeddings: number };
}

/** A copy of the demo's model with its configuration changed. */
function changedModel(product: Product, change: (config: ModelConfig) => void): string {
  const model = product.copyModel('changed-model');
  const file = path.join(model, 'config.json');
  const config = JSON.parse(readFileSync(file, 'utf8')) as ModelConfig;
  change(config);
  writeFileSync(file, JSON.stringify(config));
  return model;
}

export const badRows: readonly BadInput[] = [
  rowCase(
    'half a surrogate pair in a message',
    (row) => lastText(row, 'half \udc00'),
    /surrogate pair at character 6/,
    /hint: .*whole character/,
  ),
  rowCase(
    'more image placeholders than images',
    (row) => lastText(row, 'look: <|image_pad|>'),
    /2 image placeholders \(<\|image_pad\|>\), and it has 1 image$/m,
    /hint: Every image needs one placeholder/,
  ),
  rowCase(
    'an image placeholder in a target',
    (row) => (row['target'] = '{"memory": "<|image_pad|>", "action": []}'),
    /its target holds the image placeholder/,
  ),
  {
    name: 'fewer image placeholders than images',
    says: [
      /rows\.jsonl:1\b/,
      /0 image placeholders .* and it has 1 image$/m,
      /hint: .*a template that shows every image/,
    ],
    run(product, out) {
      const model = product.copyModel('dropping');
      const file = path.join(model, 'chat_template.jinja');
      writeFileSync(file, readFileSync(file, 'utf8').replace('<|vision_start|><|image_pad|><|vision_end|>', ''));
      return product.run(webmix(out, DEMO_ROWS, model));
    },
  },
  imageCase('a CMYK image', 'cmyk.jpg', /CMYK/, /hint: Put an 8-bit RGB or gray/),
  imageCase('a PNG of 16 bits a channel', 'sixteen-bit.png', /16 bits/, /hint: Put an 8-bit RGB or gray/),
  imageCase('an image whose sides differ by more than 200 times', 'aspect-201.png', /804 x 4/, /hint: Cut the image/),
  {
    name: "a row beyond the model's context",
    says: [/rows\.jsonl:\d+/, /it has \d+ tokens .*context holds 500/, /hint: Shorten/],
    run: (product, out) =>
      product.run(
        webmix(
          out,
          DEMO_ROWS,
          changedModel(product, (config) => (config.text_config.max_position_embeddings = 500)),
        ),
      ),
  },
  {
    name: "a tokenizer with more ids than the model's table",
    says: [/changed-model has ids up to \d+, the model's vocabulary ends at 1999/, /hint: .*published with the model/],
    run: (product, out) =>
      product.run(
        webmix(
          out,
          DEMO_ROWS,
          changedModel(product, (config) => (config.text_config.vocab_size = 2000)),
        ),
      ),
  },
  {
    name: 'a processor of another model',
    says: [/does not belong to the model/, /3000 ids, the model has 2560/, /hint: Leave --processor out/],
    run: (product, out) =>
      product.run([
        ...webmix(out),
        '--processor',
        changedModel(product, (config) => (config.text_config.vocab_size = 3000)),
      ]),
  },
];

/** A folder that looks like an adapter: its configuration and one tensor. */
function adapterFolder(product: Product, config: object, shape: readonly number[]): string {
  const folder = path.join(product.folder, 'adapter');
  mkdirSync(folder);
  const bytes = shape.reduce((all, side) => all * side, 4);
  const name = 'base_model.model.model.language_model.layers.0.mlp.up_proj.lora_A.weight';
  const header = Buffer.from(JSON.stringify({ [name]: { dtype: 'F32', shape, data_offsets: [0, bytes] } }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  writeFileSync(path.join(folder, 'adapter_model.safetensors'), Buffer.concat([length, header, Buffer.alloc(bytes)]));
  writeFileSync(path.join(folder, 'adapter_config.json'), JSON.stringify({ peft_type: 'LORA', ...config }));
  return folder;
}

function adapterCase(name: string, config: object, shape: readonly number[], ...says: RegExp[]): BadInput {
  return {
    name,
    says: [/adapter/, /hint: /, ...says],
    run: (product, out) => product.run([...webmix(out), '--init-adapter', adapterFolder(product, config, shape)]),
  };
}

export const badAdapters: readonly BadInput[] = [
  adapterCase(
    'an initial adapter of another rank',
    { r: 8, lora_alpha: 32 },
    [8, 192],
    /rank 8, this run 16/,
    /--rank 8/,
  ),
  adapterCase(
    'an initial adapter of another alpha',
    { r: 16, lora_alpha: 16 },
    [16, 192],
    /alpha 16, this run 32/,
    /--alpha 16/,
  ),
  adapterCase(
    'an initial adapter of another shape',
    { r: 16, lora_alpha: 32 },
    [16, 100],
    /layers\.0\.mlp\.up_proj\.lora_A\.weight/,
    /\[16, 100\]/,
    /\[16, 192\]/,
  ),
  {
    name: 'an initial adapter that is none',
    says: [/is no adapter: it has no adapter_config\.json/, /hint: Give the folder that holds adapter_config\.json/],
    run: (product, out) => product.run([...webmix(out), '--init-adapter', DEMO_ROWS]),
  },
];
