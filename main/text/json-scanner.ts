/**
 * A JSON reader that knows where everything stands. `JSON.parse` is faster and is tried first everywhere; this one is for what it cannot do: say where a
 * line is torn, take the NaN and Infinity that Python writes, and give the spans of values inside a target.
 */

export interface JsonMember {
  key: string;
  /** The key with its quotes: UTF-16 offsets into the text, the end is exclusive. */
  keyStart: number;
  keyEnd: number;
  value: JsonNode;
}

export type JsonNode = { start: number; end: number } & (
  | { kind: 'object'; members: JsonMember[] }
  | { kind: 'array'; items: JsonNode[] }
  | { kind: 'string'; value: string }
  | { kind: 'number'; value: number }
  | { kind: 'boolean'; value: boolean }
  | { kind: 'null' }
);

/** `position` is the UTF-16 offset of the first character that does not fit. */
export class JsonFault extends Error {
  readonly position: number;

  constructor(reason: string, position: number) {
    super(reason);
    this.position = position;
  }
}

/** Python's own limit is about a thousand. */
const maximumDepth = 900;
const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const literals: readonly [string, boolean | null | number][] = [
  ['true', true],
  ['false', false],
  ['null', null],
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
];

/** Reads one JSON value with white space around it. Throws JsonFault. */
export function scanJson(text: string): JsonNode {
  let at = 0;

  function skipSpace(): void {
    for (; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
    }
  }

  function fail(reason: string): never {
    throw new JsonFault(at >= text.length ? `it ends where ${reason} should be` : `${reason} expected`, at);
  }

  function expect(character: string): void {
    if (text[at] !== character) fail(`"${character}"`);
    at++;
  }

  function readString(): string {
    const start = at;
    at++;
    for (;;) {
      const unit = text.charCodeAt(at);
      if (Number.isNaN(unit)) throw new JsonFault('a string is not closed', start);
      if (unit === 0x22) break;
      if (unit < 0x20) throw new JsonFault('a control character stands unescaped in a string', at);
      if (unit !== 0x5c) {
        at++;
        continue;
      }
      const escape = text[at + 1] ?? '';
      if (escape === 'u') {
        if (!/^[0-9a-fA-F]{4}$/.test(text.slice(at + 2, at + 6)))
          throw new JsonFault('a \\u escape needs four hex digits', at);
        at += 6;
      } else if (escape === '' || !'"\\/bfnrt'.includes(escape)) {
        throw new JsonFault('an unknown escape in a string', at);
      } else {
        at += 2;
      }
    }
    at++;
    return JSON.parse(text.slice(start, at)) as string;
  }

  function readObject(start: number, depth: number): JsonNode {
    const members: JsonMember[] = [];
    at++;
    skipSpace();
    if (text[at] === '}') return { kind: 'object', members, start, end: ++at };
    for (;;) {
      skipSpace();
      if (text[at] !== '"') fail('a key in quotes');
      const keyStart = at;
      const key = readString();
      const keyEnd = at;
      skipSpace();
      expect(':');
      members.push({ key, keyStart, keyEnd, value: readValue(depth + 1) });
      skipSpace();
      if (text[at] === '}') return { kind: 'object', members, start, end: ++at };
      if (text[at] !== ',') fail('"," or "}"');
      at++;
    }
  }

  function readArray(start: number, depth: number): JsonNode {
    const items: JsonNode[] = [];
    at++;
    skipSpace();
    if (text[at] === ']') return { kind: 'array', items, start, end: ++at };
    for (;;) {
      items.push(readValue(depth + 1));
      skipSpace();
      if (text[at] === ']') return { kind: 'array', items, start, end: ++at };
      if (text[at] !== ',') fail('"," or "]"');
      at++;
    }
  }

  function readValue(depth: number): JsonNode {
    if (depth > maximumDepth) throw new JsonFault(`nested more than ${maximumDepth} deep`, at);
    skipSpace();
    const start = at;
    const first = text[at];
    if (first === '{') return readObject(start, depth);
    if (first === '[') return readArray(start, depth);
    if (first === '"') {
      const value = readString();
      return { kind: 'string', value, start, end: at };
    }
    for (const [word, value] of literals) {
      if (!text.startsWith(word, at)) continue;
      at += word.length;
      if (value === null) return { kind: 'null', start, end: at };
      if (typeof value === 'boolean') return { kind: 'boolean', value, start, end: at };
      return { kind: 'number', value, start, end: at };
    }
    numberPattern.lastIndex = at;
    const match = numberPattern.exec(text);
    if (match === null) return fail('a value');
    at += match[0].length;
    return { kind: 'number', value: Number(match[0]), start, end: at };
  }

  const node = readValue(0);
  skipSpace();
  if (at < text.length) throw new JsonFault('something follows after the end of the value', at);
  return node;
}

/** The plain value of a node; of a key that repeats, the last one, as `JSON.parse` and Python have it. */
export function jsonValue(node: JsonNode): unknown {
  switch (node.kind) {
    case 'object':
      // fromEntries defines own properties, so that a key "__proto__" stays an ordinary key.
      return Object.fromEntries(node.members.map((member) => [member.key, jsonValue(member.value)]));
    case 'array':
      return node.items.map(jsonValue);
    case 'null':
      return null;
    default:
      return node.value;
  }
}

/** Reads what Python's `json.loads` reads: JSON, and the words NaN, Infinity and -Infinity. Throws JsonFault with the place of the fault. */
export function parsePythonJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return jsonValue(scanJson(text));
  }
}

/** Python's `bool(value)` for a value that came out of JSON. */
export function isTruthy(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  // bool(float("nan")) is True.
  return typeof value === 'number' ? value !== 0 : Boolean(value);
}
