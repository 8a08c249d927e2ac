/**
 * torch's CPU generator as far as orders need it: `randperm`, and the order that `DistributedSampler` makes of it. A recipe whose Python trainer takes its rows
 * from a DataLoader is repeated row for row with it.
 */
/* eslint-disable @typescript-eslint/no-non-null-assertion -- every index is within its list by construction, and this is an inner loop */
import { MersenneTwister } from './mersenne-twister.ts';

/** From here on torch may draw 64 bits a time; no run has as many rows. */
const endOfSizes = Math.floor(2 ** 31 / 20);

function checkCount(name: string, value: number, least: number, end: number): void {
  if (!Number.isSafeInteger(value) || value < least || value >= end)
    throw new RangeError(`${name} has to be a whole number from ${least} to ${end - 1}, not ${value}`);
}

/** What `Generator.manual_seed` takes, cut to the 32 bits that its engine is seeded with. */
function seedWord(seed: number | bigint): number {
  if (typeof seed === 'number' && !Number.isSafeInteger(seed))
    throw new RangeError(`a seed has to be a whole number that is exact in a double (give a bigint), not ${seed}`);
  const whole = BigInt(seed);
  if (whole < 0n || whole >= 2n ** 64n) throw new RangeError(`a seed has to be 0 to 2^64 - 1, not ${whole.toString()}`);
  return Number(whole & 0xffffffffn);
}

/**
 * `torch.randperm(size, generator=torch.Generator().manual_seed(seed))`: the numbers 0 to size - 1 in a random order.
 * @param seed 0 to 2^64 - 1; of it 32 bits count, as in torch. Throws RangeError.
 */
export function torchRandperm(size: number, seed: number | bigint): number[] {
  checkCount('the size', size, 0, endOfSizes);
  const twister = new MersenneTwister(seedWord(seed));
  const numbers = Array.from({ length: size }, (_, i) => i);
  for (let i = 0; i < size - 1; i++) {
    // The remainder, with its slight bias, not a rejection as in Python's random.
    const j = i + (twister.word() % (size - i));
    const kept = numbers[i]!;
    numbers[i] = numbers[j]!;
    numbers[j] = kept;
  }
  return numbers;
}

export interface DistributedSample {
  /** Rows of the data set. */
  size: number;
  ranks: number;
  rank: number;
  seed: number;
  /** As given to `set_epoch`: 0, 1, ... */
  epoch: number;
}

/**
 * The rows of one rank in one epoch, as `DistributedSampler(shuffle=True, drop_last=False)` gives them: the permutation of seed + epoch, repeated from its
 * beginning until every rank has as many, of which a rank takes every ranks-th. Throws RangeError.
 */
export function distributedOrder({ size, ranks, rank, seed, epoch }: DistributedSample): number[] {
  checkCount('the number of ranks', ranks, 1, 2 ** 20);
  checkCount('the rank', rank, 0, ranks);
  checkCount('the epoch', epoch, 0, 2 ** 31);
  checkCount('the seed', seed, 0, 2 ** 53);
  const order = torchRandperm(size, BigInt(seed) + BigInt(epoch));
  return Array.from({ length: Math.ceil(size / ranks) }, (_, i) => order[(i * ranks + rank) % size]!);
}
