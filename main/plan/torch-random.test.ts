/** Against torch: golden/make_torch_random.py wrote what its generator and its DistributedSampler give. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { distributedOrder, torchRandperm } from './torch-random.ts';

const summarySchema = z.object({ n: z.number(), first: z.array(z.number()), sha256: z.string() });
const sampleSchema = z.object({
  size: z.number(),
  ranks: z.number(),
  rank: z.number(),
  seed: z.number(),
  epoch: z.number(),
});
const golden = z
  .object({
    permutations: z.array(z.tuple([z.number(), z.string(), summarySchema])),
    samplers: z.array(z.tuple([sampleSchema, summarySchema])),
  })
  .parse(JSON.parse(readFileSync(new URL('golden/torch-random.golden.json', import.meta.url), 'utf8')));

function summary(numbers: number[]): z.infer<typeof summarySchema> {
  const sha256 = createHash('sha256').update(numbers.join(',')).digest('hex');
  return { n: numbers.length, first: numbers.slice(0, 10), sha256 };
}

it('the fixture has all sizes and rank counts', () => {
  expect(golden.permutations.length).toBeGreaterThan(120);
  expect(new Set(golden.samplers.map(([{ ranks }]) => ranks))).toEqual(new Set([1, 2, 3, 4, 8]));
  expect(golden.samplers.some(([{ size, ranks }]) => size * 2 < ranks)).toBe(true);
});

it.each(golden.permutations)('randperm of %i, seed %s', (size, seed, wanted) => {
  expect(summary(torchRandperm(size, BigInt(seed)))).toEqual(wanted);
});

it.each(golden.samplers)('DistributedSampler %o', (sample, wanted) => {
  expect(summary(distributedOrder(sample))).toEqual(wanted);
});

it('numbers and bigints are one seed', () => {
  expect(torchRandperm(50, 2 ** 40 + 3)).toEqual(torchRandperm(50, 2n ** 40n + 3n));
});

describe('refused', () => {
  it.each([-1, 0.5, NaN, 2 ** 31])('the size %s', (size) => {
    expect(() => torchRandperm(size, 0)).toThrow(RangeError);
  });

  it.each([-1, 0.5, NaN, 2 ** 53, -1n, 2n ** 64n])('the seed %s', (seed) => {
    expect(() => torchRandperm(3, seed)).toThrow(/a seed has to be/);
  });

  it.each([
    [{ ranks: 0 }, 'the number of ranks'],
    [{ rank: 2 }, 'the rank has to be a whole number from 0 to 1, not 2'],
    [{ epoch: -1 }, 'the epoch'],
    [{ seed: 0.5 }, 'the seed'],
  ])('%o', (changes, message) => {
    expect(() => distributedOrder({ size: 4, ranks: 2, rank: 0, seed: 0, epoch: 0, ...changes })).toThrow(message);
  });
});
