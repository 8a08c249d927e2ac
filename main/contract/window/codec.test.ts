/** Frames: what goes in comes out, or is refused; nothing else that a stranger sends gets through. */
import { describe, expect, it } from 'vitest';
import { decode, encode } from './codec.ts';

const there = (message: unknown): unknown => decode(encode(message));

/** Repeatable pseudo-random numbers (mulberry32), so that a failure can be had again. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

describe('what crosses', () => {
  it('keeps arrays with their kind, at any length and offset', () => {
    const pool = new Uint8Array(64).map((_, index) => index);
    const message = {
      a: new Float64Array([1.5, Number.NaN, -0, Number.NEGATIVE_INFINITY]),
      b: new Float32Array([0.1]),
      c: [new Int32Array([-1, 2 ** 31 - 1]), new Uint8Array(0)],
      d: pool.subarray(3, 10),
    };
    expect(there(message)).toStrictEqual(message);
  });

  it('sends a Buffer as the bytes that it is', () => {
    const { bytes, list } = there({ bytes: Buffer.from('abc'), list: [Buffer.from('d')] }) as Record<
      string,
      Uint8Array
    >;
    expect(list).toStrictEqual([new Uint8Array([100])]);
    expect(Object.getPrototypeOf(bytes)).toBe(Uint8Array.prototype);
    expect([...bytes!]).toEqual([97, 98, 99]);
  });

  it('keeps numbers that JSON has no word for', () => {
    const message = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 0, 5e-324, 2 ** 53];
    expect(there({ at: message })).toStrictEqual({ at: message });
  });

  it('keeps objects of the user that look like our own marks', () => {
    const messages: unknown[] = [
      { $array: 'Float64Array', at: 0, length: 1e9 },
      { $number: 'NaN' },
      { $: 1, $$: 2, $$$array: 3, plain: { $number: 'x' } },
      JSON.parse('{"__proto__": {"$a": 1}, "$b": [{"$array": "Int32Array"}], "constructor": 1}'),
    ];
    for (const message of messages) expect(there(message)).toStrictEqual(message);
    expect(Object.prototype).not.toHaveProperty('$a');
  });

  it('keeps text whatever it holds', () => {
    for (const text of ['', '\u0000', '\ud800', 'é😀\u2028', '\ufeffx', '"\\$array'])
      expect(there({ [`k${text}`]: text })).toStrictEqual({ [`k${text}`]: text });
  });

  it('leaves out keys without a value', () => {
    expect(there({ a: undefined, b: null })).toStrictEqual({ b: null });
  });

  it.each([
    ['a date', { when: new Date(0) }, /a Date \(at "when"\)/],
    ['a map', { map: new Map() }, /a Map/],
    ['a set', [new Set()], /a Set/],
    ['a function', { run: () => 1 }, /a function/],
    ['a hole', [1, undefined], /a hole in an array/],
    ['nothing', undefined, /undefined/],
    ['a bigint', { big: 1n }, /a bigint|BigInt/],
    ['an array of another kind', { x: new Uint16Array(2) }, /a Uint16Array/],
    ['a view', { x: new DataView(new ArrayBuffer(8)) }, /a DataView/],
    ['an instance', { x: new URL('http://localhost') }, /a URL/],
    ['an error', { x: new Error('no') }, /a Error/],
  ])('refuses %s', (_name, message, says) => {
    expect(() => encode(message)).toThrow(TypeError);
    expect(() => encode(message)).toThrow(says);
  });

  it('refuses a circle', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    expect(() => encode(circle)).toThrow(TypeError);
  });

  it('carries any message', () => {
    const next = random(1);
    const below = (limit: number): number => Math.floor(next() * limit);
    const word = (): string => ['$', '$array', 'at', 'length', '$number', 'a', '__proto__', 'é😀', ''][below(9)] ?? '';
    const make = (depth: number): unknown => {
      switch (below(depth > 4 ? 9 : 12)) {
        case 0:
          return null;
        case 1:
          return next() < 0.5;
        case 2:
          return (next() - 0.5) * 10 ** below(300);
        case 3:
          return [Number.NaN, -0, Number.POSITIVE_INFINITY][below(3)];
        case 4:
          return word().repeat(below(4));
        case 5:
          return new Float64Array(below(5)).map(() => next());
        case 6:
          return new Float32Array(below(5)).map(() => next());
        case 7:
          return new Int32Array(below(5)).map(() => below(1e9));
        case 8:
          return new Uint8Array(below(9)).map(() => below(256));
        case 9:
          return Array.from({ length: below(4) }, () => make(depth + 1));
        default:
          return Object.fromEntries(Array.from({ length: below(5) }, () => [word(), make(depth + 1)]));
      }
    };
    for (let round = 0; round < 3000; round++) {
      const message = make(0);
      const frame = encode(message);
      expect(frame.length % 8).toBe(0);
      // At an odd place of a larger buffer, as Node hands them out.
      const shared = new Uint8Array(frame.length + 16);
      shared.set(frame, 3);
      expect(decode(shared.subarray(3, 3 + frame.length))).toStrictEqual(message);
    }
  });
});

describe('what is no frame', () => {
  const framed = (json: string, tail = 0): Uint8Array => {
    const text = new TextEncoder().encode(json);
    const frame = new Uint8Array(Math.ceil((4 + text.length) / 8) * 8 + tail);
    new DataView(frame.buffer).setUint32(0, text.length, true);
    frame.set(text, 4);
    return frame;
  };

  it.each([
    ['too short', new Uint8Array(4)],
    ['empty', new Uint8Array(0)],
    ['a length beyond the end', new Uint8Array([255, 255, 255, 255, 0, 0, 0, 0])],
    ['cut', encode({ a: new Float64Array(4) }).subarray(0, 32)],
    ['an odd length', framed('{}', 3)],
    ['no JSON', framed('{"a":')],
    ['bytes that are no text', new Uint8Array([2, 0, 0, 0, 0x22, 0xff, 0, 0])],
    ['an array outside the frame', framed('{"$array":"Float64Array","at":0,"length":2}', 8)],
    ['an array far outside', framed('{"$array":"Uint8Array","at":0,"length":1e300}', 8)],
    ['an array before the frame', framed('{"$array":"Uint8Array","at":-8,"length":1}', 8)],
    ['an array at an odd place', framed('{"$array":"Uint8Array","at":1,"length":1}', 8)],
    ['an array of half an element', framed('{"$array":"Uint8Array","at":0,"length":0.5}', 8)],
    ['an array of no kind', framed('{"$array":"Uint16Array","at":0,"length":1}', 8)],
    ['an array of an inherited kind', framed('{"$array":"constructor","at":0,"length":1}', 8)],
    ['an array with more keys', framed('{"$array":"Uint8Array","at":0,"length":1,"b":1}', 8)],
    ['a number that is none', framed('{"$number":"1"}')],
    ['a number by an inherited name', framed('{"$number":"toString"}')],
    ['a mark that is unknown', framed('{"$date":0}')],
  ])('throws on %s', (_name, frame) => {
    expect(() => decode(frame)).toThrow(TypeError);
  });

  it('throws or answers on noise, and never anything else', () => {
    const next = random(2);
    const whole = encode({
      id: 1,
      name: 'runs.list',
      input: { x: new Float64Array([1, 2]), y: [Number.NaN, { $a: 1 }] },
    });
    let thrown = 0;
    for (let round = 0; round < 5000; round++) {
      const frame = whole.slice(0, round % 3 === 0 ? Math.floor(next() * whole.length) : whole.length);
      for (let change = 0; change < 1 + (round % 4); change++)
        if (frame.length > 0) frame[Math.floor(next() * frame.length)] = Math.floor(next() * 256);
      try {
        decode(frame);
      } catch (error) {
        thrown++;
        expect(error).toBeInstanceOf(TypeError);
      }
    }
    expect(thrown).toBeGreaterThan(1000);
  });

  it('throws on nesting that would end the process', () => {
    expect(() => decode(framed('['.repeat(200_000) + ']'.repeat(200_000)))).toThrow(TypeError);
  });
});
