/** What is around a verification, with a trainer and a Python side that compute nothing: what passes, what fails and how it is said, and what is marked afterwards. */
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { readPool } from '../datasets/read-pool.ts';
import { encodeRows } from '../encode/encode-rows.ts';
import { openProcessor } from '../encode/processor.ts';
import { cacheFolder } from '../paths.ts';
import { createRun, prepareRun, type RunRequest } from '../trainer/launch.ts';
import { readRunFile } from '../trainer/run-folder.ts';
import { readVerified, verifiedText } from '../trainer/verified.ts';
import { ourEncodings } from './our-side.ts';
import { verifyModel, type VerifyOutcome, type VerifySettings } from './verify-model.ts';

const project = path.resolve(import.meta.dirname, '../..');
let scratch: string;
let model: string;
let rows: string;
let environment: Record<string, string | undefined>;
let settings: VerifySettings;
let encodings: Record<string, unknown>;

function program(name: string): string {
  const file = path.join(scratch, name);
  const script = path.join(import.meta.dirname, 'testing', `${name}.ts`);
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${script}' $([ "$1" = -u ] || echo "$@")\n`);
  chmodSync(file, 0o755);
  return file;
}

beforeAll(async () => {
  scratch = mkdtempSync(path.join(os.tmpdir(), 'whetstone-verify-test-'));
  vi.stubEnv('TMPDIR', scratch);
  model = path.join(scratch, 'model');
  cpSync(path.join(project, 'demo/model'), model, {
    recursive: true,
    filter: (file) => !file.endsWith('.safetensors'),
  });
  const header = Buffer.from(JSON.stringify({ x: { dtype: 'F32', shape: [1], data_offsets: [0, 4] } }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  writeFileSync(path.join(model, 'model.safetensors'), Buffer.concat([length, header, Buffer.alloc(4)]));
  rows = path.join(scratch, 'rows');
  for (const episode of ['sign-in-001', 'board-move-001', 'go-back-001', 'pick-day-001'])
    cpSync(path.join(project, 'demo/rows', episode), path.join(rows, episode), { recursive: true });
  environment = {
    ...process.env,
    WHETSTONE_DATA: path.join(scratch, 'data'),
    WHETSTONE_TRAINER: program('fake-trainer'),
    WHETSTONE_FAKE_PYTHON: path.join(scratch, 'answers.json'),
  };
  settings = {
    ...{ model, processor: null, rowsFolders: [rows], python: program('fake-python'), rows: 10, seed: 0 },
    ...{
      adapter: null,
      families: null,
      initAdapter: null,
      rank: 16,
      alpha: 32,
      device: 'auto',
      dtype: null,
      threads: 1,
    },
  };
  const cache = cacheFolder(environment);
  const processor = await openProcessor(model);
  const pool = await readPool([rows], { cacheFolder: cache });
  const { encoded } = await encodeRows(pool.rows, processor, { cacheFolder: cache });
  const known = pool.rows.flatMap((row) => encoded.get(row.key) ?? []);
  const ours = await ourEncodings(known, processor, { environment, signal: undefined });
  encodings = Object.fromEntries(
    pool.rows.map((row, index) => [`${path.join(row.folder, 'rows.jsonl')}:${row.offset}`, ours[index]]),
  );
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(scratch, { recursive: true, force: true });
});
beforeEach(() => rmSync(path.join(scratch, 'data', 'verified.json'), { force: true }));

function verify(wish: string, changes: Partial<VerifySettings> = {}): Promise<VerifyOutcome> {
  writeFileSync(path.join(scratch, 'answers.json'), JSON.stringify({ encodings, wish }));
  return verifyModel({ ...settings, ...changes }, { environment });
}
const faultsOf = (outcome: VerifyOutcome): string[] =>
  outcome.results.flatMap(({ faults }) => faults.map(({ what }) => what));

describe('a verification', () => {
  it('passes where both sides are equal, and marks what it was about', async () => {
    const outcome = await verify('');
    expect(outcome).toMatchObject({ passed: true, dtype: 'float32', device: 'cpu', modelClass: 'Made' });
    expect(outcome.results).toHaveLength(10);
    expect(new Set(outcome.results.map(({ role }) => role))).toEqual(new Set(['ce', 'ce-action', 'kl']));
    const [entry] = readVerified(environment);
    expect(entry).toMatchObject({ rows: 10, dtype: 'float32', device: 'cpu', python: { transformers: '5.18.0' } });
    expect(entry?.trainer.sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([
    ['ids', 'ids'],
    ['mask', 'mask'],
    ['pixels', 'pixels'],
    ['refuse', 'refused'],
    ['nan', 'log-probs'],
  ])('fails one row and no other where the Python side has other %s', async (wish, what) => {
    const outcome = await verify(wish);
    expect(outcome.passed).toBe(false);
    expect(faultsOf(outcome)).toEqual([what]);
    // Nothing is computed of a row that is encoded otherwise.
    expect(outcome.results.filter(({ computed }) => computed === null)).toHaveLength(wish === 'nan' ? 0 : 1);
    expect(readVerified(environment)).toEqual([]);
  });

  it('fails where gradients are off, and where they are all a little too long', async () => {
    expect(new Set(faultsOf(await verify('gradients')))).toEqual(new Set(['gradients']));
    const long = await verify('scale', { rows: 14 });
    expect(faultsOf(long)).toEqual([]);
    expect(long).toMatchObject({ passed: false, faults: [{ what: 'scale' }] });
  });

  it('takes an earlier mark back when it fails', async () => {
    await verify('');
    expect(readVerified(environment)).toHaveLength(1);
    await verify('mask');
    expect(readVerified(environment)).toEqual([]);
  });

  it('keeps the files of one visit at a time where an adapter is large, and leaves none', async () => {
    const filesAtATime = ({ results }: VerifyOutcome): number[] =>
      results.map(({ computed }) => (computed && 'max' in computed.gradients ? computed.gradients.tensors : 0));
    // The fake Python counts the files that lie beside the one that it is given.
    expect(Math.max(...filesAtATime(await verify('', { rows: 4 })))).toBe(4);
    expect(new Set(filesAtATime(await verify('large', { rows: 4 })))).toEqual(new Set([1]));
    expect(readdirSync(scratch).filter((name) => name.startsWith('whetstone-verify-'))).toEqual([]);
  });

  it('says what is wrong with the interpreter', async () => {
    await expect(verify('none-installed')).rejects.toMatchObject({ code: 'python-refused', hint: /pip install peft/ });
    await expect(verify('die')).rejects.toMatchObject({ code: 'python-ended', message: /Killed by the test/ });
    await expect(verify('', { python: '/nowhere/python' })).rejects.toMatchObject({ code: 'python-ended' });
    await expect(verify('', { python: '/bin/cat' })).rejects.toMatchObject({ code: expect.stringMatching(/^python-/) });
    await expect(verify('', { device: 'cuda' })).rejects.toMatchObject({ code: 'device-missing' });
    expect(readdirSync(scratch).filter((name) => name.startsWith('whetstone-verify-'))).toEqual([]);
  });
});

describe('a run', () => {
  const request = (settingsOfRun: Record<string, unknown>): RunRequest => ({
    recipe: 'webmix',
    settings: { adapter: 'pooled', epochs: 1, heldOutRows: 0, ...settingsOfRun },
    ...{ model, processor: null, rowsFolders: [rows], output: null, name: null, allowBad: 0, ranks: 1 },
    episodeIdsFile: null,
  });
  const verifiedOf = async (settingsOfRun: Record<string, unknown>) => {
    const prepared = await prepareRun(request(settingsOfRun), { environment });
    const { folder } = await createRun(prepared, 'cli', environment);
    return readRunFile(folder)?.verified;
  };

  it('is verified by what was about its model, trainer, device and dtype, and by nothing else', async () => {
    expect(await verifiedOf({ dtype: 'float32' })).toBeNull();
    await verify('');
    expect(verifiedText(await verifiedOf({ dtype: 'float32' }))).toMatch(
      /^verified against transformers 5\.18\.0, peft 0\.21\.0 on this machine \(10 rows, \d+ [A-Z][a-z]{2}\)$/,
    );
    expect(await verifiedOf({ dtype: 'bfloat16' })).toBeNull();
    expect(await verifiedOf({ dtype: 'float32', branchDtype: 'bfloat16' })).toBeNull();
    // Built anew: another program.
    const trainer = path.join(scratch, 'fake-trainer');
    const before = readFileSync(trainer);
    writeFileSync(trainer, Buffer.concat([before, Buffer.from('# another\n')]));
    expect(await verifiedOf({ dtype: 'float32' })).toBeNull();
    writeFileSync(trainer, before);
    const config = path.join(model, 'config.json');
    const text = readFileSync(config, 'utf8');
    writeFileSync(config, `${text}\n`);
    expect(await verifiedOf({ dtype: 'float32' })).toBeNull();
    writeFileSync(config, text);
    expect(await verifiedOf({ dtype: 'float32' })).not.toBeNull();
  });

  it('does not stumble over a verified.json that is broken', async () => {
    writeFileSync(
      path.join(scratch, 'data', 'verified.json'),
      '{"format": "whetstone-verified", "version": 1, "entries": [',
    );
    expect(await verifiedOf({ dtype: 'float32' })).toBeNull();
    await verify('');
    expect(existsSync(path.join(scratch, 'data', 'verified.json'))).toBe(true);
    expect(readVerified(environment)).toHaveLength(1);
  });
});
