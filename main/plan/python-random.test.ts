import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { PythonRandom } from './python-random.ts';

const summarySchema = z.object({ n: z.number(), first: z.array(z.number()), sha256: z.string() });
const golden = z
  .object({
    seeds: z.array(
      z.object({
        seed: z.string(),
        random: z.array(z.number()),
        bits: z.array(z.tuple([z.number(), z.string()])),
        below: z.array(z.tuple([z.number(), z.number()])),
        after: z.number(),
      }),
    ),
    shuffles: z.array(z.tuple([z.number(), z.number(), summarySchema])),
    samples: z.array(z.tuple([z.number(), z.number(), z.number(), summarySchema])),
    chain: z.array(z.tuple([z.number(), summarySchema, summarySchema, z.number()])),
  })
  .parse(JSON.parse(readFileSync(new URL('golden/random.golden.json', import.meta.url), 'utf8')));

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

function summary(numbers: number[]): z.infer<typeof summarySchema> {
  const sha256 = createHash('sha256').update(numbers.join(',')).digest('hex');
  return { n: numbers.length, first: numbers.slice(0, 10), sha256 };
}

function shuffled(generator: PythonRandom, size: number): number[] {
  const items = range(size);
  generator.shuffle(items);
  return items;
}

describe('PythonRandom equals CPython', () => {
  it.each(golden.seeds)('seed $seed', ({ seed, random, bits, below, after }) => {
    const generator = new PythonRandom(BigInt(seed));
    expect(random.map(() => generator.random())).toEqual(random);
    expect(bits.map(([k]) => [k, generator.getrandbits(k).toString()])).toEqual(bits);
    expect(below.map(([n]) => [n, generator.randbelow(n)])).toEqual(below);
    expect(generator.random()).toBe(after);
  });

  it('takes numbers and bigints alike', () => {
    expect(new PythonRandom(2 ** 32 + 1).random()).toBe(new PythonRandom(2n ** 32n + 1n).random());
  });

  it.each(golden.shuffles)('seed %i shuffles %i', (seed, size, wanted) => {
    expect(summary(shuffled(new PythonRandom(seed), size))).toEqual(wanted);
  });

  it.each(golden.samples)('seed %i samples of %i: %i', (seed, size, count, wanted) => {
    const population = range(size);
    expect(summary(new PythonRandom(seed).sample(population, count))).toEqual(wanted);
    expect(population.every((item, i) => item === i)).toBe(true);
  });

  it('leaves the stream where CPython leaves it', () => {
    const generator = new PythonRandom(3);
    for (const [size, shuffle, sample, random] of golden.chain) {
      expect(summary(shuffled(generator, size))).toEqual(shuffle);
      expect(summary(generator.sample(range(size), Math.floor(size / 4)))).toEqual(sample);
      expect(generator.random()).toBe(random);
    }
  });
});

describe('PythonRandom refuses', () => {
  it('a sample larger than the population', () => {
    expect(() => new PythonRandom(0).sample([1, 2], 3)).toThrow('cannot draw 3 of 2');
    expect(() => new PythonRandom(0).sample([], 1)).toThrow(RangeError);
    expect(() => new PythonRandom(0).sample([1], -1)).toThrow(RangeError);
  });

  it.each([-1, 0.5, NaN, Infinity, 2 ** 53, -1n])('the seed %s', (seed) => {
    expect(() => new PythonRandom(seed)).toThrow(RangeError);
  });
});

it('shuffles 30,000 items in well under 50 ms', () => {
  const generator = new PythonRandom(0);
  shuffled(generator, 30_000);
  const start = performance.now();
  shuffled(generator, 30_000);
  expect(performance.now() - start).toBeLessThan(50);
});
