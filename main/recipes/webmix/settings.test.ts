import { describe, expect, it } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import { parseWebmixSettings, webmixSettings, webmixSettingsSchema } from './settings.ts';

function refusal(input: unknown): AppError {
  try {
    parseWebmixSettings(input);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('was taken');
}

describe('settings', () => {
  it('have the defaults of the Python trainer', () => {
    expect(parseWebmixSettings({ adapter: 'drag' })).toMatchObject({
      epochs: 3,
      lr: 1e-4,
      rank: 16,
      alpha: 32,
      gradAccum: 8,
      beta: 0.1,
      anchorRatio: 0.5,
      limit: 0,
      maxSteps: 0,
      saveEvery: 5000,
      seed: 0,
      ceOn: 'all',
      excludeVariants: [],
      frac: 1,
      episodeIds: null,
      initAdapter: null,
      dropDone: false,
      dropout: 0.05,
      heldOutRows: 200,
    });
  });

  it('are described one by one, with the defaults that the schema has', () => {
    const { adapter, ...defaults } = parseWebmixSettings({ adapter: 'drag' });
    expect(adapter).toBe('drag');
    expect(webmixSettings.map((s) => s.name)).toEqual(expect.arrayContaining(Object.keys(webmixSettingsSchema.shape)));
    expect(new Set(webmixSettings.map((s) => s.flag)).size).toBe(webmixSettings.length);
    const described = Object.fromEntries(webmixSettings.map((s) => [s.name, s.default]));
    expect(described).toEqual({ adapter: null, ...defaults });
  });

  it.each([
    ['rank', 0, 'rank has to be a whole number of 1 or more, not 0'],
    ['rank', -4, 'not -4'],
    ['rank', 1.5, 'not 1.5'],
    ['rank', '16', 'not "16"'],
    ['lr', NaN, 'lr has to be a finite number of more than 0, not NaN'],
    ['lr', 0, 'not 0'],
    ['lr', Infinity, 'not Infinity'],
    ['lr', -1e-4, 'not -0.0001'],
    ['alpha', 0, 'alpha has to be'],
    ['frac', 0, 'frac has to be a finite number of more than 0, not 0'],
    ['frac', NaN, 'not NaN'],
    ['frac', -0.1, 'not -0.1'],
    ['epochs', 0, 'epochs has to be'],
    ['epochs', -1, 'not -1'],
    ['gradAccum', 0, 'gradAccum has to be a whole number of 1 or more'],
    ['beta', -0.1, 'beta has to be a finite number of 0 or more'],
    ['beta', NaN, 'not NaN'],
    ['anchorRatio', -1, 'anchorRatio has to be'],
    ['limit', -1, 'limit has to be'],
    ['maxSteps', -1, 'maxSteps has to be'],
    ['saveEvery', -1, 'saveEvery has to be'],
    ['seed', -1, 'seed has to be'],
    ['dropout', 1, 'dropout has to be'],
    ['ceOn', 'memory', 'ceOn has to be one of all, action, not "memory"'],
    ['dtype', 'float16', 'dtype has to be one of bfloat16, float32'],
    ['excludeVariants', 'recovery', 'excludeVariants has to be a list of names'],
    ['families', [], 'families has to name at least one family'],
    ['threads', 0, 'threads has to be'],
  ])('refuse %s %s', (name, value, message) => {
    const error = refusal({ adapter: 'drag', [name]: value });
    expect(error.code).toBe('bad-setting');
    expect(error.message).toContain(message);
    expect(error.hint).toContain(webmixSettings.find((s) => s.name === name)!.flag);
  });

  it('refuse what is not there, and say what is', () => {
    expect(refusal({ adapter: 'dragg' })).toMatchObject({
      code: 'unknown-adapter',
      message: expect.stringContaining('"dragg"'),
      hint: expect.stringContaining('pooled, drag, io, select, rest, reasoning, planner'),
    });
    expect(refusal({ adapter: 'drag', excludeVariants: ['chain', 'recover'] })).toMatchObject({
      code: 'unknown-variant',
      message: expect.stringContaining('"recover"'),
      hint: 'Variants are recovery, chain, plain.',
    });
    expect(refusal({ adapter: 'drag', learningRate: 1 })).toMatchObject({
      code: 'unknown-setting',
      message: 'there is no setting learningRate',
    });
    expect(refusal({ adapter: 'drag', device: 'gpu' }).message).toContain('"gpu"');
    expect(refusal({}).message).toContain('neither a preset');
    expect(refusal({ adapter: 'drag', families: ['Navigation'] }).hint).toContain('not both');
    expect(refusal(7).code).toBe('bad-setting');
  });
});
