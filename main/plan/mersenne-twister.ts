/**
 * MT19937 (Matsumoto and Nishimura), the generator below both CPython's `random` and torch's CPU generator. The two differ in how they seed it and in what they
 * make of its words, which is their own files' business.
 */
/* eslint-disable @typescript-eslint/no-non-null-assertion -- every index is within its list by construction, and this is an inner loop */

const stateWords = 624;
const shiftWords = 397;

/** From one 32-bit word, as `init_genrand` does. */
function stateOfWord(word: number): Uint32Array {
  const state = new Uint32Array(stateWords);
  state[0] = word;
  for (let i = 1; i < stateWords; i++) {
    const previous = state[i - 1]! ^ (state[i - 1]! >>> 30);
    state[i] = Math.imul(1812433253, previous) + i;
  }
  return state;
}

/** From several, as `init_by_array` does. */
function stateOfWords(key: Uint32Array): Uint32Array {
  const state = stateOfWord(19650218);
  let i = 1;
  let j = 0;
  for (let k = Math.max(stateWords, key.length); k > 0; k--) {
    const previous = state[i - 1]! ^ (state[i - 1]! >>> 30);
    state[i] = (state[i]! ^ Math.imul(previous, 1664525)) + key[j]! + j;
    if (++i >= stateWords) {
      state[0] = state[stateWords - 1]!;
      i = 1;
    }
    if (++j >= key.length) j = 0;
  }
  for (let k = stateWords - 1; k > 0; k--) {
    const previous = state[i - 1]! ^ (state[i - 1]! >>> 30);
    state[i] = (state[i]! ^ Math.imul(previous, 1566083941)) - i;
    if (++i >= stateWords) {
      state[0] = state[stateWords - 1]!;
      i = 1;
    }
  }
  state[0] = 0x80000000;
  return state;
}

export class MersenneTwister {
  readonly #state: Uint32Array;
  #next = stateWords;

  /** @param seed one 32-bit word (its lowest 32 bits count), or a list of at least one. */
  constructor(seed: number | Uint32Array) {
    this.#state = typeof seed === 'number' ? stateOfWord(seed) : stateOfWords(seed);
  }

  #refill(): void {
    const state = this.#state;
    for (let i = 0; i < stateWords; i++) {
      const y = (state[i]! & 0x80000000) | (state[(i + 1) % stateWords]! & 0x7fffffff);
      state[i] = state[(i + shiftWords) % stateWords]! ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
    }
    this.#next = 0;
  }

  /** 32 random bits, as an unsigned number. */
  word(): number {
    if (this.#next >= stateWords) this.#refill();
    let y = this.#state[this.#next++]!;
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    y ^= y >>> 18;
    return y >>> 0;
  }
}
