/**
 * A Python side that computes nothing: it answers from a file that WHETSTONE_FAKE_PYTHON names, `{"encodings": {"FILE:OFFSET": {...}}, "wish": "..."}`. The wish says what goes wrong:
 * `ids`, `mask`, `pixels` (one row's encoding), `refuse` (one row), `nan`, `gradients`, `scale`, `die` (in the middle), `none-installed`, `large` (an adapter of 200 MB).
 */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';

interface Request {
  do: string;
  row: { file: string; offset: number };
  role: { name: string };
  ours: string;
}
interface Encoding {
  ids: number[];
  targets: number;
  action: number[];
  grids: number[][];
  pixels: string[];
}

const { encodings, wish } = JSON.parse(readFileSync(process.env['WHETSTONE_FAKE_PYTHON'] ?? '', 'utf8')) as {
  encodings: Record<string, Encoding>;
  wish: string;
};
const answer = (value: unknown): void => console.log(JSON.stringify(value));
let encoded = 0;
let computed = 0;

function encode({ row }: Request): unknown {
  const mine = structuredClone(encodings[`${row.file}:${row.offset}`]);
  if (!mine) throw new Error(`there is no row ${row.file}:${row.offset}`);
  encoded += 1;
  if (encoded === 1 && wish === 'ids') mine.ids[3] = -1;
  if (encoded === 1 && wish === 'mask') mine.action[0] = 1 - (mine.action[0] ?? 0);
  if (encoded === 1 && wish === 'pixels') mine.pixels = mine.pixels.map(() => 'another');
  if (encoded === 1 && wish === 'refuse') return { error: { message: 'StopIteration: without a word', hint: '' } };
  return { ...mine, pil_levels: 0 };
}

function compute({ role, ours }: Request): unknown {
  computed += 1;
  if (wish === 'die' && computed === 2) {
    console.error('Killed by the test');
    process.exit(9);
  }
  const files = readdirSync(path.dirname(ours));
  const off = wish === 'nan' && computed === 1 ? 'nan' : 2e-5;
  const length = wish === 'scale' ? 1.01 : 1;
  return {
    sum: 2.5,
    log_probs: { mean: off, p99: off, max: off, at: 4, ours: -1, theirs: off === 'nan' ? 'nan' : -1.00002 },
    gradients: {
      ...{ other: [], count: 0, tensors: files.length, mean: 1e-5, max: wish === 'gradients' ? 0.01 : 2e-5 },
      ...{ worst: 'layers.3.lora_B', ours_square: length * length, theirs_square: 1 },
    },
    distance: role.name === 'kl' ? { moved: 0.4, gain: 0.5, slope: 0.2 } : null,
  };
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const request = JSON.parse(line) as Request;
  if (request.do === 'about' && wish === 'none-installed')
    answer({ error: { message: '/usr/bin/python3 has no peft', hint: 'Install what is missing: pip install peft' } });
  else if (request.do === 'about')
    answer({
      ...{ executable: '/usr/bin/python3', python: '3.12.0', torch: '2.9.0', transformers: '5.18.0', peft: '0.21.0' },
      ...{ tokenizers: '0.23.2', torchvision: true, fla: false, cuda: false },
    });
  else if (request.do === 'processor')
    answer({
      ...{ processor: 'Qwen3VLProcessor', tokenizer: 'Qwen3_5Tokenizer', image_processor: 'Qwen2VLImageProcessor' },
      ...{ with_torchvision: true, note: null },
    });
  else if (request.do === 'encode') answer(encode(request));
  else if (request.do === 'model')
    answer({
      model: 'Made',
      made: { deviation: 0.04, moved: 0.07 },
      tensors: 2,
      bytes: wish === 'large' ? 200e6 : 1000,
    });
  else answer(compute(request));
});
