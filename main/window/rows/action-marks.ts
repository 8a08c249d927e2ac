/**
 * Reads from a target what it does and where, to be drawn over the screenshot. Leniently: targets are what people made them, and one that is no JSON, or has
 * an action nobody has heard of, is shown without a mark or with its name alone, never as an error. A place outside the scale is said, not drawn.
 */
import type { ActionMark } from '../../contract/window/rows.ts';
import type { ChatMessage } from '../../datasets/row.ts';
import { JsonFault, parsePythonJson } from '../../text/json-scanner.ts';
import { elementPlace } from './element-places.ts';
import { isInScale, placesOf, type Point } from './action-places.ts';

type Fields = Record<string, unknown>;

/** Marks in the order of the target's actions; [] where it has none that can be read. */
export function actionMarks(target: string, messages: readonly ChatMessage[]): ActionMark[] {
  return actionsOf(parseLeniently(target)).flatMap(({ name, fields }) => markAction(name, fields, messages));
}

function parseLeniently(target: string): unknown {
  const start = target.indexOf('{');
  const end = target.lastIndexOf('}');
  for (const text of [target, start >= 0 && end > start ? target.slice(start, end + 1) : '']) {
    try {
      return parsePythonJson(text);
    } catch (error) {
      if (!(error instanceof JsonFault)) throw error;
    }
  }
  return null;
}

interface NamedAction {
  name: string;
  fields: Fields;
}

/** `{"action": [{"click": {...}}]}`, `{"action": {"type": "click", ...}}`, `{"name": "computer", "arguments": {"action": "click", ...}}`. */
function actionsOf(value: unknown): NamedAction[] {
  if (Array.isArray(value)) return value.flatMap(actionsOf);
  if (!isFields(value)) return [];
  const call = value['arguments'] ?? value['parameters'];
  if (typeof value['name'] === 'string' && isFields(call))
    return typeof call['action'] === 'string'
      ? [{ name: call['action'], fields: call }]
      : [{ name: value['name'], fields: call }];
  for (const key of ['action', 'type'])
    if (typeof value[key] === 'string') return [{ name: value[key], fields: value }];
  if ('action' in value || 'actions' in value) {
    const inner = value['action'] ?? value['actions'];
    return (Array.isArray(inner) ? inner : [inner]).flatMap(innerAction);
  }
  return [];
}

function innerAction(value: unknown): NamedAction[] {
  if (typeof value === 'string') return [{ name: value, fields: {} }];
  if (!isFields(value)) return [];
  const named = actionsOf(value);
  if (named.length > 0) return named;
  return Object.entries(value).map(([name, fields]) => ({
    name,
    fields: isFields(fields) ? fields : { value: fields },
  }));
}

function markAction(name: string, fields: Fields, messages: readonly ChatMessage[]): ActionMark[] {
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  const index = numberOf(fields['index'] ?? fields['element_index'] ?? fields['element']);
  const { point, from, to, strokes } = placesOf(fields);
  const detail = detailOf(name, fields);
  const label = [words, index === null ? '' : `[${index}]`, detail].filter((part) => part !== '').join(' ');
  const outside = [point, from, to, ...strokes.flat()].find((place) => place !== null && !isInScale(place));
  if (outside) return [{ kind: 'none', name, label: `${label} at ${outside.join(', ')}, outside of 0 to 1000` }];
  if (strokes.length > 0)
    return strokes.map((points, stroke) => ({
      kind: 'path',
      name,
      points,
      label: strokes.length === 1 ? label : `${label} ${stroke + 1} of ${strokes.length}`,
    }));
  if (from && to) return [{ kind: 'arrow', name, from, to, label }];
  const box = index === null ? null : elementPlace(messages, index);
  if (/scroll|swipe/i.test(name)) {
    const middle: Point | null =
      point ?? (box ? [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2] : index === null ? [500, 500] : null);
    if (middle) return [{ kind: 'arrow', name, ...scrollArrow(middle, directionOf(fields)), label }];
  }
  if (point) return [{ kind: 'point', name, x: point[0], y: point[1], label }];
  if (index !== null) return [{ kind: 'element', name, index, box, label }];
  return [{ kind: 'none', name, label }];
}

type Direction = 'up' | 'down' | 'left' | 'right';

function directionOf(fields: Fields): Direction {
  const said = fields['direction'];
  if (typeof said === 'string' && ['up', 'down', 'left', 'right'].includes(said.toLowerCase()))
    return said.toLowerCase() as Direction;
  for (const direction of ['up', 'down', 'left', 'right'] as const) {
    if (fields[direction] === true) return direction;
    if (fields[direction] === false && direction === 'down') return 'up';
  }
  return 'down';
}

/** A fifth of the picture long, through `middle`: the length of an arrow says nothing, the label says how far. */
function scrollArrow([x, y]: Point, direction: Direction): { from: Point; to: Point } {
  const reach = 100;
  const dx = direction === 'right' ? reach : direction === 'left' ? -reach : 0;
  const dy = direction === 'down' ? reach : direction === 'up' ? -reach : 0;
  const clip = (value: number): number => Math.min(1000, Math.max(0, value));
  return { from: [clip(x - dx), clip(y - dy)], to: [clip(x + dx), clip(y + dy)] };
}

/** What the mark says beside the name: what is typed, how far, where to. */
function detailOf(name: string, fields: Fields): string {
  const parts: string[] = [];
  if (/scroll|swipe/i.test(name)) {
    parts.push(directionOf(fields));
    const pages = numberOf(fields['pages'] ?? fields['num_pages']);
    if (pages !== null) parts.push(`${pages} ${pages === 1 ? 'page' : 'pages'}`);
  }
  const seconds = numberOf(fields['seconds'] ?? fields['time']);
  if (seconds !== null) parts.push(`${seconds} s`);
  const text = ['text', 'keys', 'key', 'url', 'path', 'query', 'option', 'value', 'answer']
    .map((key) => fields[key])
    .find((value) => typeof value === 'string' || typeof value === 'number');
  if (text !== undefined) parts.push(quote(String(text)));
  return parts.join(' ');
}

function quote(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  const characters = Array.from(line);
  return JSON.stringify(characters.length > 40 ? `${characters.slice(0, 39).join('')}…` : line);
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
