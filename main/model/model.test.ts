import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../contract/errors.ts';
import { checkModel } from './check-model.ts';
import { findModel, hubCaches } from './find-model.ts';

let scratch: string;
beforeEach(() => {
  scratch = mkdtempSync(path.join(os.tmpdir(), 'whetstone-model-'));
});
afterEach(() => rmSync(scratch, { recursive: true }));

const caught = (work: () => unknown): AppError => {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

function shard(file: string, bytes = 16): void {
  const header = Buffer.from(JSON.stringify({ x: { dtype: 'F32', shape: [bytes / 4], data_offsets: [0, bytes] } }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  writeFileSync(file, Buffer.concat([length, header, Buffer.alloc(bytes)]));
}

function model(folder: string, type = 'qwen3_5'): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'config.json'), JSON.stringify({ model_type: type }));
  writeFileSync(path.join(folder, 'tokenizer.json'), '{}');
  shard(path.join(folder, 'model.safetensors'));
  return folder;
}

describe('finding a model', () => {
  it('as a folder', () => {
    const folder = model(path.join(scratch, 'mine'));
    expect(findModel(folder, {}, scratch)).toEqual({ path: folder, name: folder, revision: null });
    expect(findModel('~/mine', {}, scratch).path).toBe(folder);
  });

  it('as a hub id, by the revision that main points to', () => {
    const repository = path.join(scratch, 'models--Qwen--Qwen3.5-4B');
    model(path.join(repository, 'snapshots', 'abc'));
    model(path.join(repository, 'snapshots', 'def'));
    mkdirSync(path.join(repository, 'refs'));
    writeFileSync(path.join(repository, 'refs', 'main'), 'def');
    const environment = { HF_HUB_CACHE: scratch };
    const snapshot = path.join(repository, 'snapshots', 'def');
    expect(findModel('Qwen/Qwen3.5-4B', environment)).toEqual({
      path: snapshot,
      name: 'Qwen/Qwen3.5-4B',
      revision: 'def',
    });
    expect(findModel('Qwen/Qwen3.5-4B@abc', environment).revision).toBe('abc');
    // The path of a snapshot is called by its id too.
    expect(findModel(snapshot, {})).toMatchObject({ name: 'Qwen/Qwen3.5-4B', revision: 'def' });
    rmSync(path.join(repository, 'refs'), { recursive: true });
    expect(caught(() => findModel('Qwen/Qwen3.5-4B', environment)).code).toBe('no-such-model');
    rmSync(path.join(repository, 'snapshots', 'abc'), { recursive: true });
    expect(findModel('Qwen/Qwen3.5-4B', environment).revision).toBe('def');
  });

  it('looks where the Python tools put models', () => {
    expect(hubCaches({}, '/home/u')).toEqual(['/home/u/.cache/huggingface/hub']);
    expect(hubCaches({ HF_HOME: '/hf' }, '/home/u')[0]).toBe('/hf/hub');
    expect(hubCaches({ HF_HUB_CACHE: '/c', HF_HOME: '/hf' }, '/home/u').slice(0, 2)).toEqual(['/c', '/hf/hub']);
  });

  it('that is nowhere says where it was looked for, and how to get it', () => {
    const error = caught(() => findModel('Qwen/Qwen3.5-4B', { HF_HUB_CACHE: scratch }, '/home/u'));
    expect(error.code).toBe('no-such-model');
    expect(error.message).toContain(scratch);
    expect(error.message).toContain('/home/u/.cache/huggingface/hub');
    expect(error.hint).toContain('hf download Qwen/Qwen3.5-4B');
    expect(caught(() => findModel('/nowhere/model')).message).toContain('/nowhere/model');
    writeFileSync(path.join(scratch, 'file'), '');
    expect(caught(() => findModel(path.join(scratch, 'file'))).message).toContain('is a file');
  });
});

describe('checking a model', () => {
  it('takes one that is whole', () => {
    const folder = model(path.join(scratch, 'm'));
    expect(checkModel(folder)).toMatchObject({
      modelType: 'qwen3_5',
      shards: [path.join(folder, 'model.safetensors')],
    });
  });

  it('names an architecture that we lack, and those that we have', () => {
    const error = caught(() => checkModel(model(path.join(scratch, 'm'), 'gemma4')));
    expect(error).toMatchObject({ code: 'model-unknown', hint: 'It knows qwen3_5.' });
    expect(error.message).toContain('"gemma4"');
  });

  it('names missing shards, broken links among them', () => {
    const folder = model(path.join(scratch, 'm'));
    rmSync(path.join(folder, 'model.safetensors'));
    shard(path.join(folder, 'model-1-of-3.safetensors'));
    symlinkSync(path.join(scratch, 'blob-that-is-gone'), path.join(folder, 'model-2-of-3.safetensors'));
    const map = { a: 'model-1-of-3.safetensors', b: 'model-2-of-3.safetensors', c: 'model-3-of-3.safetensors' };
    writeFileSync(path.join(folder, 'model.safetensors.index.json'), JSON.stringify({ weight_map: map }));
    const error = caught(() => checkModel(folder));
    expect(error.code).toBe('model-shard-missing');
    expect(error.message).toContain('2 of 3 weight files');
    expect(error.message).toContain('model-2-of-3.safetensors, model-3-of-3.safetensors');
  });

  it('finds a shard that was cut off', () => {
    const folder = model(path.join(scratch, 'm'));
    const file = path.join(folder, 'model.safetensors');
    shard(file, 4096);
    truncateSync(file, 2000);
    const error = caught(() => checkModel(folder));
    expect(error.code).toBe('model-shard-damaged');
    expect(error.message).toContain(`${file} is damaged: it ends after 2000 of`);
    writeFileSync(file, 'version https://git-lfs.github.com/spec/v1');
    expect(caught(() => checkModel(folder)).code).toBe('model-shard-damaged');
    truncateSync(file, 3);
    expect(caught(() => checkModel(folder)).message).toContain('3 bytes long');
  });

  it('refuses a processor of another model, and says what differs', () => {
    const config = (folder: string, more: object): void =>
      writeFileSync(path.join(folder, 'config.json'), JSON.stringify({ model_type: 'qwen3_5', ...more }));
    const folder = model(path.join(scratch, 'm'));
    const other = model(path.join(scratch, 'other'));
    config(folder, { image_token_id: 7, text_config: { vocab_size: 1000 } });
    const differing = (more: object): AppError => {
      config(other, more);
      return caught(() => checkModel(folder, other));
    };
    const larger = differing({ image_token_id: 7, text_config: { vocab_size: 1001 } });
    expect(larger).toMatchObject({ code: 'processor-foreign', hint: expect.stringContaining('--processor') });
    expect(larger.message).toContain(`the processor in ${other} does not belong to the model in ${folder}`);
    expect(larger.message).toContain('a vocabulary of 1001 ids, the model has 1000 embeddings');
    expect(differing({ image_token_id: 8, vocab_size: 1000 }).message).toContain('at the id 8, the model has it at 7');
    expect(differing({ model_type: 'qwen3_vl' }).message).toContain('for the type qwen3_vl');
    config(other, { image_token_id: 7, vocab_size: 900 });
    expect(checkModel(folder, other).modelType).toBe('qwen3_5');
  });

  it('finds that there are no weights, no tokenizer, no configuration', () => {
    const folder = model(path.join(scratch, 'm'));
    rmSync(path.join(folder, 'tokenizer.json'));
    expect(caught(() => checkModel(folder)).code).toBe('tokenizer-missing');
    expect(checkModel(folder, model(path.join(scratch, 'other'))).modelType).toBe('qwen3_5');
    rmSync(path.join(folder, 'model.safetensors'));
    writeFileSync(path.join(folder, 'pytorch_model.bin'), '');
    expect(caught(() => checkModel(folder)).message).toContain('pytorch_model.bin cannot be read');
    writeFileSync(path.join(folder, 'config.json'), '{');
    expect(caught(() => checkModel(folder)).code).toBe('model-config');
    rmSync(path.join(folder, 'config.json'));
    expect(caught(() => checkModel(folder)).message).toContain('config.json is not there');
  });
});
