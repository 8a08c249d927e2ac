/** Values between this process and the page, as text: what structured clone takes, with the tags of page.js. */

type Tagged = { $: string; v?: unknown; c?: string; d?: string };

/** Throws DataCloneError for what Electron's IPC cannot carry. Map, Set, RegExp and the like are refused: the text has no tags for them. */
export function encode(value: unknown): unknown {
  return encodeCloned(structuredClone(value));
}

function encodeCloned(value: unknown): unknown {
  if (value === undefined) return { $: 'u' };
  if (typeof value === 'bigint') return { $: 'n', v: String(value) };
  if (typeof value === 'number' && !Number.isFinite(value)) return { $: 'N', v: String(value) };
  if (value === null || typeof value !== 'object') return value;
  if (ArrayBuffer.isView(value)) {
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    return { $: 't', c: value.constructor.name, d: bytes.toString('base64') };
  }
  if (value instanceof ArrayBuffer) return { $: 't', c: 'ArrayBuffer', d: Buffer.from(value).toString('base64') };
  if (value instanceof Date) return { $: 'd', v: value.getTime() };
  // Electron keeps the message alone.
  if (value instanceof Error) return { $: 'e', v: value.message };
  if (Array.isArray(value)) return value.map(encodeCloned);
  if (Object.getPrototypeOf(value) !== Object.prototype)
    throw new Error(`electron double: a ${value.constructor.name} cannot be carried`);
  return { $: 'o', v: Object.fromEntries(Object.entries(value).map(([key, each]) => [key, encodeCloned(each)])) };
}

export function decode(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(decode);
  const { $, v, c = '', d = '' } = value as Tagged;
  switch ($) {
    case 'u':
      return undefined;
    case 'n':
      return BigInt(String(v));
    case 'N':
      return Number(v);
    case 'd':
      return new Date(Number(v));
    case 'e':
      return new Error(String(v));
    case 't': {
      const { buffer } = Uint8Array.from(Buffer.from(d, 'base64'));
      if (c === 'ArrayBuffer') return buffer;
      const View = (globalThis as unknown as Record<string, new (of: ArrayBuffer) => unknown>)[c];
      if (!View) throw new Error(`electron double: no view ${c}`);
      return new View(buffer);
    }
    case 'o':
      return Object.fromEntries(Object.entries(v as object).map(([key, each]) => [key, decode(each)]));
    default:
      throw new Error(`electron double: a value with the tag ${$}`);
  }
}
