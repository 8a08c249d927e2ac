/**
 * One message in one binary frame: JSON, and the bytes of its typed arrays behind it, which JSON would make three times as long and fifty times as slow.
 * What JSON cannot carry survives (NaN, infinities, minus zero) or is refused with a TypeError (dates, maps, functions, holes in arrays): nothing is
 * changed silently, since Electron's structured clone, the other way that the same messages go, changes nothing either. A key whose value is undefined is left out.
 *
 *     u32 length of the JSON, little endian | JSON in UTF-8 | zeros up to a multiple of 8 | each array's bytes, each followed by zeros up to a multiple of 8
 *
 * In the JSON `{"$array": "Float64Array", "at": 0, "length": 3}` stands for an array, `at` counted from the end of the JSON's padding, and
 * `{"$number": "NaN"}` for a number. Keys of the message's own that begin with `$` are written with one more.
 */

const arrayTypes = { Float64Array, Float32Array, Int32Array, Uint8Array } as const;
type ArrayType = keyof typeof arrayTypes;

const numbers: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
  '-0': -0,
};

const padded = (bytes: number): number => Math.ceil(bytes / 8) * 8;

/** Throws TypeError where `message` holds what cannot cross. */
export function encode(message: unknown): Uint8Array<ArrayBuffer> {
  const tails: Uint8Array[] = [];
  let tailBytes = 0;
  const text = JSON.stringify(message, function replace(this: unknown, key: string, value: unknown): unknown {
    // What toJSON made of it (a Date's text, a Buffer's list) is not what it was.
    const original = (this as Record<string, unknown>)[key];
    if (!Object.is(original, value)) throw new TypeError(`cannot send ${nameOf(original)} (at ${JSON.stringify(key)})`);
    if (typeof value === 'number') {
      if (Number.isFinite(value) && !Object.is(value, -0)) return value;
      return { $number: Object.is(value, -0) ? '-0' : String(value) };
    }
    if (value === undefined && !Array.isArray(this)) return undefined;
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
    if (ArrayBuffer.isView(value)) {
      const type = arrayTypeOf(value);
      if (type === null) throw new TypeError(`cannot send ${nameOf(value)} (at ${JSON.stringify(key)})`);
      const at = tailBytes;
      tails.push(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
      tailBytes += padded(value.byteLength);
      return { $array: type, at, length: (value as Uint8Array).length };
    }
    if (Array.isArray(value)) return value.some(isBuffer) ? value.map(withoutToJson) : value;
    if (typeof value === 'object' && isPlain(value)) return escaped(value);
    throw new TypeError(`cannot send ${nameOf(value)} (at ${JSON.stringify(key)})`);
  }) as string | undefined;
  if (text === undefined) throw new TypeError('cannot send undefined');
  const json = new TextEncoder().encode(text);
  const head = padded(4 + json.length);
  const frame = new Uint8Array(head + tailBytes);
  new DataView(frame.buffer).setUint32(0, json.length, true);
  frame.set(json, 4);
  let at = head;
  for (const tail of tails) {
    frame.set(tail, at);
    at += padded(tail.length);
  }
  return frame;
}

/** Arrays of the answer are views of the frame's memory. Throws TypeError where the frame is not one that `encode` makes. */
export function decode(frame: ArrayBuffer | Uint8Array): unknown {
  let bytes = frame instanceof Uint8Array ? frame : new Uint8Array(frame);
  // Node's buffers begin anywhere in a shared pool; a Float64Array has to begin at a multiple of 8.
  if (bytes.byteOffset % 8 !== 0) bytes = bytes.slice();
  if (bytes.byteOffset % 8 !== 0) bytes = new Uint8Array(bytes);
  if (bytes.length < 8) throw new TypeError('not a frame: too short');
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const head = padded(4 + length);
  if (head > bytes.length || bytes.length % 8 !== 0) throw new TypeError('not a frame: its length is wrong');
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(4, 4 + length));
    // Marks are keys that begin with `$`. Text without any is most of what is sent, and reading it plainly takes a tenth of the time: a list of 200 runs 2 ms.
    if (!text.includes('"$') && depthAtMost(text) <= plainDepth) return JSON.parse(text) as unknown;
    return JSON.parse(text, (_key, value: unknown) => revived(value, bytes, head)) as unknown;
  } catch (error) {
    throw new TypeError(`not a frame: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** Nesting up to which text is read plainly. Reading with marks ends in a TypeError where nesting would end the process that goes through it later. */
const plainDepth = 200;

/** Not less than the nesting of JSON `text`: brackets inside of strings count too. */
function depthAtMost(text: string): number {
  let depth = 0;
  let most = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    // [ and {, ] and } differ from each other in one bit.
    if ((code | 0x20) === 0x7b) most = Math.max(most, ++depth);
    else if ((code | 0x20) === 0x7d) depth -= 1;
  }
  return most;
}

function revived(value: unknown, bytes: Uint8Array, head: number): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !isPlain(value)) return value;
  const keys = Object.keys(value);
  if (!keys.some((key) => key.startsWith('$'))) return value;
  const entry = value as Record<string, unknown>;
  if (keys.every((key) => !key.startsWith('$') || key.startsWith('$$')))
    return Object.fromEntries(keys.map((key) => [key.startsWith('$$') ? key.slice(1) : key, entry[key]]));
  if (keys.length === 1 && typeof entry['$number'] === 'string') {
    const number = Object.hasOwn(numbers, entry['$number']) ? numbers[entry['$number']] : undefined;
    if (number === undefined) throw new TypeError('a number that is none');
    return number;
  }
  const { $array: type, at, length } = entry;
  if (keys.length !== 3 || typeof type !== 'string' || !Object.hasOwn(arrayTypes, type))
    throw new TypeError('an array of no known kind');
  const Type = arrayTypes[type as ArrayType];
  if (!isCount(at) || !isCount(length) || at % 8 !== 0 || head + at + length * Type.BYTES_PER_ELEMENT > bytes.length)
    throw new TypeError('an array that is not in the frame');
  return new Type(bytes.buffer as ArrayBuffer, bytes.byteOffset + head + at, length);
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** By the tag, not by `instanceof`: arrays come from other realms too (a test runner's, a frame's). A Buffer is sent as the Uint8Array that it is. */
function arrayTypeOf(view: ArrayBufferView): ArrayType | null {
  const tag = Object.prototype.toString.call(view).slice(8, -1);
  return Object.hasOwn(arrayTypes, tag) ? (tag as ArrayType) : null;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  // Of another realm: an object whose prototype has none.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function escaped(value: object): object {
  if (!Object.keys(value).some((key) => key.startsWith('$')) && !Object.values(value).some(isBuffer)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key.startsWith('$') ? `$${key}` : key, withoutToJson(each)]),
  );
}

/** Node's Buffer: JSON would write each of its bytes out before we are asked. */
const isBuffer = (value: unknown): value is Uint8Array => ArrayBuffer.isView(value) && 'toJSON' in value;

const withoutToJson = (value: unknown): unknown =>
  isBuffer(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : value;

function nameOf(value: unknown): string {
  if (typeof value !== 'object' || value === null)
    return typeof value === 'undefined' ? 'a hole in an array' : `a ${typeof value}`;
  return `a ${Object.prototype.toString.call(value).slice(8, -1)}`;
}
