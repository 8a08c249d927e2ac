/** All problems of a form at once, each at its field; and the form's sections. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findWebmixProblems, webmixStartAdapter } from './find-problems.ts';
import { webmixGroups } from './groups.ts';
import { webmixSettings } from './settings.ts';

let adapter: string;
beforeAll(() => {
  adapter = mkdtempSync(path.join(os.tmpdir(), 'whetstone-init-'));
  writeFileSync(
    path.join(adapter, 'adapter_config.json'),
    JSON.stringify({ r: 64, lora_alpha: 128, base_model_name_or_path: 'Qwen/Qwen3.5-4B' }),
  );
  const header = Buffer.from(
    JSON.stringify({
      __metadata__: {},
      'a.lora_A.weight': { dtype: 'F32', shape: [1], data_offsets: [0, 4] },
      'a.lora_B.weight': { dtype: 'F32', shape: [1], data_offsets: [4, 8] },
    }),
  );
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  writeFileSync(path.join(adapter, 'adapter_model.safetensors'), Buffer.concat([length, header, Buffer.alloc(8)]));
});
afterAll(() => rmSync(adapter, { recursive: true, force: true }));

const find = (input: Record<string, unknown>, ranks = 1) => findWebmixProblems(input, 'Qwen/Qwen3.5-4B', ranks);
const fields = (input: Record<string, unknown>) => find(input).map(({ setting, code }) => `${setting} ${code}`);

describe('problems of settings', () => {
  it('are none where there are none', () => {
    expect(find({ adapter: 'drag' })).toEqual([]);
  });

  it('are all found, not the first one alone', () => {
    expect(fields({ lr: -1, rank: 1.5, excludeVariants: ['x'], device: 'gpu', nonsense: 1, adapter: 'dragg' })).toEqual(
      [
        'lr bad-setting',
        'rank bad-setting',
        'nonsense unknown-setting',
        'adapter unknown-adapter',
        'excludeVariants unknown-variant',
        'device bad-setting',
      ],
    );
    expect(find({ adapter: 'drag', lr: -1 })).toMatchObject([
      {
        message: 'lr has to be a finite number of more than 0, not -1',
        repair: { label: 'Set 0.0001', settings: { lr: 1e-4 } },
      },
    ]);
  });

  it('of settings against each other stand at one of them, with a way out', () => {
    expect(find({ adapter: 'drag', families: ['a'] })).toMatchObject([
      { setting: 'families', repair: { settings: { families: null } } },
    ]);
    expect(fields({})).toEqual(['adapter bad-setting']);
    // One that is impossible by itself is not also said to be missing.
    expect(fields({ adapter: 7 })).toEqual(['adapter bad-setting']);
    expect(fields({ families: [] })).toEqual(['families bad-setting']);
  });

  it('of the adapter to start from offer its rank and alpha', () => {
    expect(find({ adapter: 'drag', initAdapter: adapter })).toMatchObject([
      { setting: 'rank', code: 'init-adapter-differs', repair: { label: 'Set 64', settings: { rank: 64 } } },
      { setting: 'alpha', code: 'init-adapter-differs', repair: { label: 'Set 128', settings: { alpha: 128 } } },
    ]);
    const settings = { adapter: 'drag', initAdapter: adapter, rank: 64, alpha: 128 };
    expect(find(settings)).toEqual([]);
    expect(findWebmixProblems(settings, 'other/model', 1)).toMatchObject([
      { setting: 'initAdapter', severity: 'warning', code: 'init-adapter-base' },
    ]);
    expect(fields({ adapter: 'drag', initAdapter: '/nowhere' })).toEqual(['initAdapter no-init-adapter']);
    expect(webmixStartAdapter(settings)).toEqual({
      ...{ path: adapter, rank: 64, alpha: 128, base: 'Qwen/Qwen3.5-4B', tensors: 2 },
    });
    expect(webmixStartAdapter({ initAdapter: '/nowhere' })).toBeNull();
  });

  it('of the batch say what is trained, as the Python trainer cuts it', () => {
    const [problem] = find({ adapter: 'drag' }, 3);
    expect(problem).toMatchObject({
      setting: 'gradAccum',
      severity: 'warning',
      message: '8 on 3 ranks trains 6 rows a step (2 a rank), as the Python trainer does',
      repair: { label: 'Set 9', settings: { gradAccum: 9 } },
    });
    expect(find({ adapter: 'drag', gradAccum: 2 }, 4)[0]).toMatchObject({
      message: expect.stringContaining('trains 4 rows'),
      repair: { settings: { gradAccum: 4 } },
    });
    expect(find({ adapter: 'drag', gradAccum: 9 }, 3)).toEqual([]);
  });

  it('say what has no effect', () => {
    expect(find({ adapter: 'drag', beta: 0, anchorRatio: 0.25 })).toMatchObject([
      { setting: 'anchorRatio', severity: 'info' },
    ]);
  });
});

describe('sections of the form', () => {
  it('hold every setting exactly once', () => {
    const all = webmixGroups.flatMap(({ settings }) => settings);
    expect(all.toSorted()).toEqual(webmixSettings.map(({ name }) => name).toSorted());
  });
});
