/** The command that the window shows is the run that it would launch: read back by the command line itself, over many drafts. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DraftRequest } from '../../contract/window/draft.ts';
import { PythonRandom } from '../../plan/python-random.ts';
import { adapterPresets, knownFamilies } from '../../recipes/webmix/families.ts';
import { parseWebmixSettings } from '../../recipes/webmix/settings.ts';
import { readRunFlags } from '../../trainer/run-flags.ts';
import { commandLine, commandWords, formatNumber } from './command-line.ts';
import { splitShell } from './shell-words.ts';

let scratch: string;
beforeAll(() => (scratch = mkdtempSync(path.join(os.tmpdir(), 'whetstone-command-'))));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const environment = { WEBMIX_BASE_MODEL: '/models/base' };

/** As a shell would run it, the words behind `whetstone run`. */
function readBack(line: string): DraftRequest {
  const words = splitShell(line).words.map((word) => ('text' in word ? word.text : word.operator));
  expect(words.slice(0, 2)).toEqual(['whetstone', 'run']);
  const { request } = readRunFlags(words.slice(2), { environment });
  return { ...request, rowsFolders: [...request.rowsFolders] };
}

const complete = (request: DraftRequest): unknown => ({ ...request, settings: parseWebmixSettings(request.settings) });

function randomDraft(random: PythonRandom): DraftRequest {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random.random() * values.length)] as T;
  const maybe = <T>(value: () => T): T | undefined => (random.random() < 0.5 ? value() : undefined);
  const folder = (): string =>
    `/data/${pick(['rows v5', "it's", 'a"b', '$HOME', 'plain', '~x', 'ü', '--x', 'back\\slash', 'new\nline', '*', '!'])}`;
  const tenth = (): number => random.random() * 10 ** Math.floor(random.random() * 12 - 8) + 1e-12;
  const count = (): number => Math.floor(random.random() * 10 ** Math.floor(random.random() * 8));
  const settings: Record<string, unknown> =
    random.random() < 0.5
      ? { adapter: pick(Object.keys(adapterPresets)) }
      : { families: [pick(knownFamilies), pick([...knownFamilies, 'planner', "Bob's"])] };
  const options: Record<string, () => unknown> = {
    epochs: tenth,
    lr: tenth,
    rank: () => count() + 1,
    alpha: () => pick([16, 32, 0.5, 128]),
    dropout: () => pick([0, 0.05, 0.1]),
    gradAccum: () => count() + 1,
    beta: () => pick([0, 0.1, tenth()]),
    anchorRatio: () => pick([0, 0.5, tenth()]),
    limit: count,
    maxSteps: count,
    saveEvery: () => pick([0, 5000, count()]),
    seed: count,
    ceOn: () => pick(['all', 'action']),
    excludeVariants: () => pick([[], ['recovery'], ['recovery', 'chain']]),
    frac: () => pick([1, 0.25, tenth()]),
    initAdapter: () => pick([null, folder()]),
    dropDone: () => pick([true, false]),
    heldOutRows: () => pick([200, 0, count()]),
    dtype: () => pick(['bfloat16', 'float32']),
    branchDtype: () => pick(['bfloat16', 'float32']),
    recompute: () => pick([true, false]),
    threads: () => pick([null, 1, 7]),
    device: () => pick(['auto', 'cpu', 'cuda:1']),
  };
  for (const [name, make] of Object.entries(options)) {
    const value = maybe(make);
    if (value !== undefined) settings[name] = value;
  }
  return {
    recipe: 'webmix',
    settings,
    model: pick(['Qwen/Qwen3.5-4B', folder(), '/models/base']),
    processor: maybe(folder) ?? null,
    rowsFolders: Array.from({ length: Math.floor(random.random() * 3) }, folder),
    output: maybe(folder) ?? null,
    name: maybe(() => pick(['drag, again', '--odd', "it's $5", 'ü'])) ?? null,
    allowBad: pick([0, 2]),
    ranks: pick([1, 3]),
    episodeIdsFile: null,
  };
}

describe('the command of a draft', () => {
  it('reads back to the same request, with and without what is at its default', () => {
    const random = new PythonRandom(20);
    for (let n = 0; n < 400; ++n) {
      const request = randomDraft(random);
      const words = commandWords(request, environment);
      for (const withDefaults of [true, false])
        expect(complete(readBack(commandLine(words, withDefaults)))).toEqual(complete(request));
    }
  });

  it('names the file of an episode list', () => {
    const file = path.join(scratch, 'ids of mine.txt');
    writeFileSync(file, 'one two\nthree\n');
    const request: DraftRequest = {
      ...randomDraft(new PythonRandom(1)),
      settings: { adapter: 'drag', episodeIds: ['one', 'two', 'three'] },
      episodeIdsFile: file,
    };
    const line = commandLine(commandWords(request, environment), false);
    expect(line).toContain(`--episode-ids '${file}'`);
    expect(complete(readBack(line))).toEqual(complete(request));
  });

  it('marks what would hold without it', () => {
    const request: DraftRequest = {
      ...{ recipe: 'webmix', settings: { adapter: 'drag', lr: 5e-5, beta: 0.1 }, model: '/models/base' },
      ...{ processor: null, rowsFolders: ['/rows'], output: null, name: null, allowBad: 0, ranks: 1 },
      episodeIdsFile: null,
    };
    const words = commandWords(request, environment);
    expect(commandLine(words, false)).toBe('whetstone run webmix --rows-dir /rows --adapter drag --lr 5e-5');
    expect(words).toContainEqual({ text: '--beta 0.1', isDefault: true });
    expect(words).toContainEqual({ text: '--recompute on', isDefault: true });
    expect(words).toContainEqual({ text: '--model /models/base', isDefault: true });
  });

  it('writes numbers as people do', () => {
    expect([1e-4, 0.05, 5000, 0.001, 1.25e-7, 0.25].map(formatNumber)).toEqual([
      '1e-4',
      '0.05',
      '5000',
      '1e-3',
      '1.25e-7',
      '0.25',
    ]);
  });
});
