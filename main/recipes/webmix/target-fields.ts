/**
 * Which part of a webmix target every character belongs to: `{"memory": "...", "action": [{"click": {"index": 12, "coordinate_x": null}}]}` fails in
 * different ways in its memory, action name, index, coordinates and text, and one cross-entropy hides which.
 *
 * Rules. The value of "memory" is memory. From the key "action" on, everything is action (names and structure) but for values inside it: of index keys,
 * of coordinate keys (a list of coordinates with its brackets; null counts, since the model decided it), and strings under other keys, which are text unless
 * the key names a choice ("direction", "type", ...). Other numbers and booleans stay action. All else at the top level is other. What follows a
 * member up to the next key or the end goes with the member (after memory: other). So the fields of action, index, coordinates and text lie beyond the first `"action"`, as the
 * action mask does. A target that is no JSON object is other up to the first `"action"` and action from there.
 *
 * A token has the field of its last character; the end token has a field of its own.
 */
import { countCodePoints } from '../../text/code-points.ts';
import { JsonFault, scanJson } from '../../text/json-scanner.ts';
import type { JsonNode } from '../../text/json-scanner.ts';

/** Names in the order of their numbers (docs/formats/encoded-dataset.md). */
export const targetFieldNames = ['other', 'memory', 'action', 'index', 'coordinates', 'text', 'end'] as const;

export const targetField = { other: 0, memory: 1, action: 2, index: 3, coordinates: 4, text: 5, end: 6 } as const;

export interface FieldSpan {
  /** Code points from the start of the target; the end is exclusive. */
  start: number;
  end: number;
  field: number;
}

const indexKey = /(?:^|_)(?:index|indices|idx)$/i;
const coordinateKey = /(?:^|_)(?:[xy][12]?|coords?|coordinates?|bbox|box|points?|position)(?:_[xy])?$/i;
/** Coordinates only when they are a list: "from" can also be a text or a number. */
const endpointKey = /(?:^|_)(?:from|to|start|end|path)$/i;
const choiceKey = /^(?:action|name|type|kind|mode|method|direction|button|op|tool|role|status)$/i;

interface Mark {
  /** UTF-16 offset from which the field holds. */
  at: number;
  field: number;
}

/** Spans that cover the whole of `target`, in order, neighbours of different fields. */
export function targetFields(target: string): FieldSpan[] {
  const marks: Mark[] = [{ at: 0, field: targetField.other }];
  const node = parse(target);
  if (node?.kind === 'object') {
    for (const { key, keyStart, value } of node.members) {
      if (key === 'action') {
        marks.push({ at: keyStart, field: targetField.action });
        markAction(value, key, marks);
        marks.push({ at: value.end, field: targetField.action });
      } else {
        marks.push({ at: keyStart, field: targetField.other });
        if (key === 'memory')
          marks.push({ at: value.start, field: targetField.memory }, { at: value.end, field: targetField.other });
      }
    }
  } else {
    const action = target.indexOf('"action"');
    if (action >= 0) marks.push({ at: action, field: targetField.action });
  }
  return toSpans(target, marks);
}

function parse(target: string): JsonNode | null {
  try {
    return scanJson(target);
  } catch (error) {
    if (error instanceof JsonFault) return null;
    throw error;
  }
}

function markAction(node: JsonNode, key: string, marks: Mark[]): void {
  const field = valueField(node, key);
  if (field !== null) {
    marks.push({ at: node.start, field }, { at: node.end, field: targetField.action });
  } else if (node.kind === 'object') {
    for (const member of node.members) markAction(member.value, member.key, marks);
  } else if (node.kind === 'array') {
    for (const item of node.items) markAction(item, key, marks);
  }
}

/** Null: the value has no field of its own, look into it. */
function valueField(node: JsonNode, key: string): number | null {
  if (node.kind === 'object') return null;
  if (indexKey.test(key)) return targetField.index;
  if (coordinateKey.test(key) || (endpointKey.test(key) && node.kind === 'array' && isNumeric(node)))
    return targetField.coordinates;
  if (node.kind === 'string' && !choiceKey.test(key)) return targetField.text;
  return null;
}

function isNumeric(node: JsonNode): boolean {
  if (node.kind === 'array') return node.items.length > 0 && node.items.every(isNumeric);
  return node.kind === 'number' || node.kind === 'null';
}

function toSpans(target: string, marks: readonly Mark[]): FieldSpan[] {
  const spans: FieldSpan[] = [];
  let start = 0;
  let done = 0;
  marks.forEach(({ at, field }, index) => {
    const until = marks[index + 1]?.at ?? target.length;
    if (until <= at) return;
    // Counted piece by piece, so that the whole is linear.
    const end = start + countCodePoints(target.slice(done, until));
    const last = spans.at(-1);
    if (last?.field === field) last.end = end;
    else spans.push({ start, end, field });
    start = end;
    done = until;
  });
  return spans;
}
