/**
 * The bad inputs that users meet, each with what it has to say. The test runs them all; `node e2e/bad-input-table.ts` prints docs/errors.md
 * from the messages that the product really gives.
 */
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { badAdapters, badRows } from './bad-row-cases.ts';
import { changeFirstRow, episodeWithImage, webmix, withImage, type BadInput } from './bad-input-tools.ts';
import { DEMO_ROWS } from './product.ts';
import { rewriteHeader } from './safetensors-surgery.ts';

function weights(model: string): string {
  return path.join(model, 'model.safetensors');
}

function settings(name: string, flags: readonly string[], ...says: RegExp[]): BadInput {
  return { name, says, run: (product, out) => product.run([...webmix(out), ...flags]) };
}

export const badInputs: readonly BadInput[] = [
  {
    name: 'no such model folder',
    says: [/no such model/i, /\/nowhere\/model/],
    run: (product, out) => product.run(webmix(out, DEMO_ROWS, '/nowhere/model')),
  },
  {
    name: 'no such model in the cache',
    says: [/no such model|not in the/i, /Nobody\/Nothing-1B/, /hint: .*download/i],
    run: (product, out) =>
      product.run(webmix(out, DEMO_ROWS, 'Nobody/Nothing-1B'), {
        env: { HF_HUB_CACHE: path.join(product.folder, 'hub') },
      }),
  },
  {
    name: 'an architecture that we lack',
    says: [/llama/, /qwen3_5/],
    run(product, out) {
      const model = product.copyModel('llama');
      const file = path.join(model, 'config.json');
      writeFileSync(file, readFileSync(file, 'utf8').replace('"model_type": "qwen3_5"', '"model_type": "llama"'));
      return product.run(webmix(out, DEMO_ROWS, model));
    },
  },
  {
    name: 'a missing shard',
    says: [/model-00002-of-00002\.safetensors/, /hint: /],
    run(product, out) {
      const model = product.copyModel('sharded');
      const header = readFileSync(weights(model));
      const names = Object.keys(
        JSON.parse(header.subarray(8, 8 + Number(header.readBigUInt64LE(0))).toString()) as object,
      ).filter((name) => name !== '__metadata__');
      cpSync(weights(model), path.join(model, 'model-00001-of-00002.safetensors'));
      rmSync(weights(model));
      writeFileSync(
        path.join(model, 'model.safetensors.index.json'),
        JSON.stringify({
          metadata: {},
          weight_map: Object.fromEntries(
            names.map((name, i) => [name, `model-0000${i % 2 === 0 ? 1 : 2}-of-00002.safetensors`]),
          ),
        }),
      );
      return product.run(webmix(out, DEMO_ROWS, model));
    },
  },
  {
    name: 'a tensor of the wrong shape',
    says: [/layers\.0\.mlp\.up_proj\.weight/, /shape/, /model\.safetensors/],
    run(product, out) {
      const model = product.copyModel('shape');
      rewriteHeader(weights(model), (header) => {
        const tensor = header['model.language_model.layers.0.mlp.up_proj.weight'] as { shape: number[] };
        tensor.shape.reverse();
      });
      return product.run(webmix(out, DEMO_ROWS, model));
    },
  },
  {
    name: 'a tensor of the wrong name',
    says: [/layers\.0\.mlp\.up_proj\.weight/, /hint: /],
    run(product, out) {
      const model = product.copyModel('name');
      rewriteHeader(weights(model), (header) => {
        const old = 'model.language_model.layers.0.mlp.up_proj.weight';
        header['model.language_model.layers.0.mlp.upward.weight'] = header[old] ?? {};
        // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- a key of a JSON header
        delete header[old];
      });
      return product.run(webmix(out, DEMO_ROWS, model));
    },
  },
  {
    name: 'a rows folder that is not there',
    says: [/\/nowhere\/rows/, /hint: /],
    run: (product, out) => product.run(webmix(out, '/nowhere/rows')),
  },
  {
    name: 'no rows',
    says: [/no episode in/, /empty/, /hint: /],
    run(product, out) {
      const rows = path.join(product.folder, 'empty');
      mkdirSync(rows);
      return product.run(webmix(out, rows));
    },
  },
  {
    name: 'a torn line',
    says: [/rows\.jsonl:\d+/, /JSON/],
    run(product, out) {
      const rows = product.copyRows('torn');
      appendFileSync(episodeWithImage(rows).file, '{"task_id": "x", "messages": [{"role": "us');
      return product.run(webmix(out, rows));
    },
  },
  {
    name: 'a row without target',
    says: [/rows\.jsonl:1\b/, /target/],
    run(product, out) {
      const rows = product.copyRows('targetless');
      changeFirstRow(episodeWithImage(rows).file, (row) => {
        row['target'] = '';
      });
      return product.run(webmix(out, rows));
    },
  },
  {
    name: 'half a surrogate pair in a target',
    says: [/rows\.jsonl:1\b/, /surrogate/],
    run(product, out) {
      const rows = product.copyRows('surrogate');
      changeFirstRow(episodeWithImage(rows).file, (row) => {
        row['target'] = 'half \ud83d';
      });
      return product.run(webmix(out, rows));
    },
  },
  ...badRows,
  ...badAdapters,
  {
    name: 'an image that is missing',
    says: [/rows\.jsonl:1\b/, /missing|not there|no such/i],
    run(product, out) {
      const rows = product.copyRows('missing');
      const { folder, image } = episodeWithImage(rows);
      rmSync(path.join(folder, image));
      return product.run(webmix(out, rows));
    },
  },
  {
    name: 'an image that is truncated',
    says: [/rows\.jsonl:1\b/, /truncated|cut off|incomplete/i],
    run(product, out) {
      const rows = product.copyRows('truncated');
      const { folder, image } = episodeWithImage(rows);
      const file = path.join(folder, image);
      const bytes = readFileSync(file);
      writeFileSync(file, bytes.subarray(0, Math.floor(bytes.length / 2)));
      return product.run(webmix(out, rows));
    },
  },
  {
    name: 'an image outside its episode (..)',
    says: [/rows\.jsonl:1\b/, /leaves its folder/],
    run(product, out) {
      const rows = product.copyRows('outside');
      const { file, image, folder } = episodeWithImage(rows);
      cpSync(path.join(folder, image), path.join(rows, 'elsewhere.png'));
      withImage(file, '../elsewhere.png');
      return product.run(webmix(out, rows));
    },
  },
  {
    name: 'an image outside its episode (link)',
    says: [/rows\.jsonl:1\b/, /outside/],
    run(product, out) {
      const rows = product.copyRows('linked');
      const { folder, image } = episodeWithImage(rows);
      const file = path.join(folder, image);
      cpSync(file, path.join(product.folder, 'elsewhere.png'));
      rmSync(file);
      symlinkSync(path.join(product.folder, 'elsewhere.png'), file);
      return product.run(webmix(out, rows));
    },
  },
  {
    name: 'an image changed since encoding',
    outExists: true, // the trainer meets it when it comes to the row
    says: [/changed/i, /encod/i],
    async run(product, out) {
      // Encoded and planned; then the picture changes before the trainer reads it.
      const rows = product.copyRows('changed');
      const done = await product.run([...webmix(path.join(product.folder, 'before'), rows), '--epochs', '1']);
      if (done.status !== 0) throw new Error(`the run before failed: ${done.stderr}`);
      const [run] = readdirSync(path.join(product.data, 'runs'));
      const plan = JSON.parse(readFileSync(path.join(product.data, 'runs', run ?? '', 'plan.json'), 'utf8')) as {
        output: { folder: string };
        datasets: string[];
      };
      plan.output.folder = out;
      const again = path.join(product.folder, 'again');
      mkdirSync(again);
      writeFileSync(path.join(again, 'plan.json'), JSON.stringify(plan));
      for (const file of readdirSync(rows, { recursive: true, encoding: 'utf8' }))
        if (/\.(png|jpg)$/.test(file)) appendFileSync(path.join(rows, file), 'x');
      return product.trainer(['train', '--plan', path.join(again, 'plan.json')]);
    },
  },
  {
    name: 'a family that nobody has',
    says: [/Juggling/, /Text entry/],
    run: (product, out) =>
      product.run([...webmix(out).filter((word) => word !== '--adapter' && word !== 'rest'), '--families', 'Juggling']),
  },
  settings('more ranks than rows', ['--ranks', '500'], /500/, /rows/),
  settings('rank 0', ['--rank', '0'], /rank/),
  settings('a learning rate that is not a number', ['--lr', 'NaN'], /lr/),
  settings('fraction 0', ['--frac', '0'], /frac/),
  settings('more epochs than none: 0', ['--epochs', '0'], /epochs/),
  settings('an unknown adapter preset', ['--adapter', 'juggling'], /juggling/, /pooled/),
  settings('a flag that does not exist', ['--learning-rate', '1'], /--learning-rate/),
  {
    name: 'an output folder that holds another run',
    says: [/holds|another run/i, /hint: /],
    outExists: true,
    run(product, out) {
      mkdirSync(out);
      writeFileSync(path.join(out, 'train_log.jsonl'), '{"rows": 50}\n');
      return product.run(webmix(out));
    },
  },
  {
    name: 'an output folder on a read-only disk',
    unshare: true,
    outExists: true,
    says: [/read-only/i, /hint: /],
    run(product, out) {
      mkdirSync(out);
      const mount = `mount -t tmpfs -o ro tmpfs ${out} && exec "$@"`;
      return product.run(webmix(out), { wrap: ['unshare', '-rm', 'sh', '-c', mount, 'sh'] });
    },
  },
  {
    name: 'a full disk (data folder)',
    unshare: true,
    says: [/full|no space/i, /hint: /],
    run(product, out) {
      mkdirSync(product.data, { recursive: true });
      const mount = `mount -t tmpfs -o size=96k tmpfs ${product.data} && exec "$@"`;
      return product.run(webmix(out), { wrap: ['unshare', '-rm', 'sh', '-c', mount, 'sh'] });
    },
  },
  {
    name: 'a full disk (output folder)',
    unshare: true,
    outExists: true,
    says: [/full|no space/i, /hint: /],
    run(product, out) {
      mkdirSync(out);
      const mount = `mount -t tmpfs -o size=64k tmpfs ${out} && exec "$@"`;
      return product.run(webmix(out), { wrap: ['unshare', '-rm', 'sh', '-c', mount, 'sh'] });
    },
  },
];
