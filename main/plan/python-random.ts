/**
 * CPython's `random.Random`, number for number. Runs that were ordered by the Python trainers have to be repeatable here: the same seed has to draw the same
 * anchors and visit the same rows in the same order. It is MT19937, seeded by init_by_array, with `shuffle` and `sample` consuming the stream
 * exactly as CPython 3.11 and later do.
 */
/* eslint-disable @typescript-eslint/no-non-null-assertion -- every index is within its list by construction, and this is an inner loop */
import { MersenneTwister } from './mersenne-twister.ts';

/** The seed's magnitude as 32-bit words, least significant first; [0] for 0. */
function seedWords(seed: number | bigint): Uint32Array {
  if (typeof seed === 'number' && !Number.isSafeInteger(seed))
    throw new RangeError(`a seed has to be a whole number that is exact in a double (give a bigint), not ${seed}`);
  let rest = BigInt(seed);
  if (rest < 0n) throw new RangeError(`a seed has to be 0 or more, not ${rest.toString()}`);
  const words: number[] = [];
  do {
    words.push(Number(rest & 0xffffffffn));
    rest >>= 32n;
  } while (rest > 0n);
  return Uint32Array.from(words);
}

export class PythonRandom {
  readonly #twister: MersenneTwister;

  /** As `random.Random(seed)`. @param seed 0 or more; a bigint beyond 2^53. Throws RangeError. */
  constructor(seed: number | bigint) {
    this.#twister = new MersenneTwister(seedWords(seed));
  }

  /** In [0, 1), 53 bits. */
  random(): number {
    const high = this.#twister.word() >>> 5;
    const low = this.#twister.word() >>> 6;
    return (high * 67108864 + low) / 9007199254740992;
  }

  /** @param bits 0 or more. The value is in [0, 2^bits). Throws RangeError. */
  getrandbits(bits: number): bigint {
    if (!Number.isSafeInteger(bits) || bits < 0)
      throw new RangeError(`the number of bits has to be 0 or more, not ${bits}`);
    let value = 0n;
    for (let done = 0; done < bits; done += 32) {
      const take = Math.min(32, bits - done);
      value |= BigInt(this.#twister.word() >>> (32 - take)) << BigInt(done);
    }
    return value;
  }

  /** In [0, bound), by rejection on the fewest bits that hold `bound` itself. @param bound 1 to 2^32 - 1. Throws RangeError. */
  randbelow(bound: number): number {
    if (!Number.isInteger(bound) || bound < 1 || bound > 0xffffffff)
      throw new RangeError(`the bound has to be a whole number from 1 to 2^32 - 1, not ${bound}`);
    const shift = Math.clz32(bound);
    let value = this.#twister.word() >>> shift;
    while (value >= bound) value = this.#twister.word() >>> shift;
    return value;
  }

  /** Shuffles in place, as `Random.shuffle`. */
  shuffle(items: unknown[] | Uint32Array | Int32Array): void {
    const list = items as unknown[];
    for (let i = list.length - 1; i > 0; i--) {
      const j = this.randbelow(i + 1);
      const kept = list[i];
      list[i] = list[j];
      list[j] = kept;
    }
  }

  /** `count` different positions of `population`'s items, in the order drawn, as `Random.sample`. Throws RangeError when there are not as many. */
  sample<T>(population: readonly T[], count: number): T[] {
    const size = population.length;
    if (!Number.isInteger(count) || count < 0 || count > size)
      throw new RangeError(`cannot draw ${count} of ${size} without replacement`);
    const drawn: T[] = [];
    if (size <= largestCopiedPopulation(count)) {
      // A copy whose first size - i items are those not drawn yet.
      const rest = population.slice();
      for (let i = 0; i < count; i++) {
        const j = this.randbelow(size - i);
        drawn.push(rest[j]!);
        rest[j] = rest[size - i - 1]!;
      }
      return drawn;
    }
    const seen = new Set<number>();
    for (let i = 0; i < count; i++) {
      let j = this.randbelow(size);
      while (seen.has(j)) j = this.randbelow(size);
      seen.add(j);
      drawn.push(population[j]!);
    }
    return drawn;
  }
}

/**
 * Up to this population `sample` copies the list, beyond it draws until a new one comes: 21 plus, from six items on, the first power of four that reaches
 * three times the count. (CPython takes a logarithm in floating point; three times a count is never a power of four, so whole numbers give the same.)
 */
function largestCopiedPopulation(count: number): number {
  if (count <= 5) return 21;
  let power = 1;
  while (power < count * 3) power *= 4;
  return 21 + power;
}
