/**
 * What a line of rows.jsonl says. Read as the Python trainers read it: a message counts with its role and its content only, content is text or a list of
 * parts, and parts that are neither text nor image_url are passed over (so are `tools` and `tool_calls`, which those trainers never hand to the template).
 */
import { createHash } from 'node:crypto';
import type { PoolImage, PoolRow } from '../contract/pool.ts';
import { countCodePoints } from '../text/code-points.ts';
import { isTruthy, JsonFault, parsePythonJson } from '../text/json-scanner.ts';
import { RowFault } from './row-fault.ts';

export type ChatPart = { type: 'text'; text: string } | { type: 'image' };

export interface ChatMessage {
  role: string;
  content: ChatPart[];
}

/** A row with its text, as read from disk. */
export interface RawRow {
  row: PoolRow;
  /** With one image part for each of `row.images`, in the same order. */
  messages: ChatMessage[];
  target: string;
}

export interface ParsedRow {
  messages: ChatMessage[];
  /** As written in the row: file names beside rows.jsonl. */
  imageUrls: string[];
  target: string;
  fields: Pick<PoolRow, 'taskId' | 'step' | 'segment' | 'macro' | 'family' | 'op' | 'resolved' | 'memoryBy'>;
}

export type LeftOut = 'inject' | 'augPrefix';

/** Reads one line. Throws RowFault. */
export function parseRow(line: string): ParsedRow | LeftOut {
  const row = parseObject(line);
  // Left out before anything else is looked at, as the Python trainers do it.
  if (isTruthy(row['inject'])) return 'inject';
  if (isTruthy(row['aug_prefix'])) return 'augPrefix';
  const { messages, imageUrls } = parseMessages(row['messages']);
  const resolved = row['resolved'];
  const segment = row['segment'];
  return {
    messages,
    imageUrls,
    target: parseTarget(row['target']),
    fields: {
      taskId: requireText(row['task_id'], 'task_id'),
      step: finiteOrNull(row['step']),
      segment: typeof segment === 'string' ? segment : finiteOrNull(segment),
      macro: textOrNull(row['macro']),
      family: requireText(row['family'], 'family'),
      op: textOrNull(row['op']),
      resolved: typeof resolved === 'boolean' ? resolved : textOrNull(resolved),
      memoryBy: textOrNull(row['memory_by']),
    },
  };
}

/** Hex SHA-256 over all that the encoded form of a row depends on, the processor excepted. */
export function rowKey(messages: readonly ChatMessage[], target: string, images: readonly PoolImage[]): string {
  const content = messages.map(({ role, content }) => [
    role,
    ...content.map((part) => (part.type === 'text' ? part.text : 0)),
  ]);
  const files = images.map(({ path, sha256, bytes }) => [path, sha256, bytes]);
  return createHash('sha256')
    .update(JSON.stringify(['whetstone-row', 1, content, target, files]))
    .digest('hex');
}

function parseObject(line: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parsePythonJson(line);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    throw new RowFault(
      'row-json',
      `not valid JSON at column ${error.position + 1}: ${error.message} (${excerpt(line, error.position)})`,
    );
  }
  if (!isObject(value)) throw new RowFault('row-shape', `the line holds ${describe(value)}, not an object`);
  return value;
}

function parseTarget(target: unknown): string {
  if (target === undefined) throw new RowFault('row-target', 'it has no target');
  if (typeof target !== 'string') throw new RowFault('row-target', `its target is ${describe(target)}, not text`);
  if (target === '') throw new RowFault('row-target', 'its target is empty');
  return wellFormed(target, 'target');
}

function parseMessages(value: unknown): Pick<ParsedRow, 'messages' | 'imageUrls'> {
  if (value === undefined) throw new RowFault('row-messages', 'it has no messages');
  if (!Array.isArray(value)) throw new RowFault('row-messages', `its messages are ${describe(value)}, not a list`);
  if (value.length === 0) throw new RowFault('row-messages', 'its list of messages is empty');
  const imageUrls: string[] = [];
  const messages = value.map((message: unknown, index): ChatMessage => {
    const place = `messages[${index}]`;
    if (!isObject(message)) throw new RowFault('row-messages', `${place} is ${describe(message)}, not an object`);
    const role = message['role'];
    if (typeof role !== 'string') throw new RowFault('row-messages', `${place}.role is ${describe(role)}, not text`);
    return {
      role: wellFormed(role, `${place}.role`),
      content: parseContent(message['content'], `${place}.content`, imageUrls),
    };
  });
  return { messages, imageUrls };
}

function parseContent(content: unknown, place: string, imageUrls: string[]): ChatPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: wellFormed(content, place) }];
  if (!Array.isArray(content))
    throw new RowFault('row-messages', `${place} is ${describe(content)}, neither text nor a list of parts`);
  const parts: ChatPart[] = [];
  content.forEach((part: unknown, index) => {
    const where = `${place}[${index}]`;
    if (!isObject(part)) throw new RowFault('row-messages', `${where} is ${describe(part)}, not an object`);
    if (part['type'] === 'text') {
      const text = part['text'];
      if (typeof text !== 'string') throw new RowFault('row-messages', `${where}.text is ${describe(text)}, not text`);
      parts.push({ type: 'text', text: wellFormed(text, `${where}.text`) });
    } else if (part['type'] === 'image_url') {
      const image = part['image_url'];
      const url = isObject(image) ? image['url'] : undefined;
      if (typeof url !== 'string')
        throw new RowFault('row-messages', `${where}.image_url.url is ${describe(url)}, not a file name`);
      imageUrls.push(wellFormed(url, `${where}.image_url.url`));
      parts.push({ type: 'image' });
    }
  });
  return parts;
}

function requireText(value: unknown, name: string): string {
  if (value === undefined) throw new RowFault('row-field', `it has no ${name}`);
  if (typeof value !== 'string') throw new RowFault('row-field', `its ${name} is ${describe(value)}, not text`);
  return wellFormed(value, name);
}

/** Half a surrogate pair is no character: Python refuses to encode it, and the tokenizer here would turn it into U+FFFD in silence. */
function wellFormed(text: string, place: string): string {
  if (text.isWellFormed()) return text;
  const at = /\p{Surrogate}/u.exec(text)?.index ?? 0;
  throw new RowFault(
    'row-surrogate',
    `${place} holds half a surrogate pair at character ${countCodePoints(text, at) + 1}`,
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function finiteOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function describe(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'text' : `the ${typeof value} ${JSON.stringify(value)}`;
}

/** A few characters around the fault, so that it can be found in a line of 30 kB. */
function excerpt(line: string, position: number): string {
  const start = Math.max(0, position - 20);
  const end = Math.min(line.length, position + 20);
  const text = JSON.stringify(line.slice(start, end).toWellFormed());
  return `${position >= line.length ? 'the end of the line' : 'near'} ${start > 0 ? '…' : ''}${text}${end < line.length ? '…' : ''}`;
}
