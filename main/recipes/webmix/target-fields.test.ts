import { expect, test } from 'vitest';
import { targetFieldNames, targetFields } from './target-fields.ts';

/** The target with the first letter of the field under every character. */
function letters(target: string): string {
  const names = targetFieldNames.map((name) => name[0] ?? '');
  const spans = targetFields(target);
  expect(spans[0]?.start ?? 0).toBe(0);
  spans.forEach((span, index) => expect(span.start).toBe(spans[index - 1]?.end ?? 0));
  expect(spans.at(-1)?.end ?? 0).toBe(Array.from(target).length);
  return spans.map(({ start, end, field }) => (names[field] ?? '?').repeat(end - start)).join('');
}

test('memory, action, index, coordinates', () => {
  const target = '{"memory": "é😀", "action": [{"click": {"index": 12, "coordinate_x": null}}]}';
  const fields = ['o'.repeat(11), 'mmmm', 'oo', 'a'.repeat(31), 'ii', 'a'.repeat(18), 'cccc', 'aaaa'].join('');
  expect(letters(target)).toBe(fields);
});

test.each([
  ['{"action": [{"input": {"index": 3, "text": "hi"}}]}', 'i', '3'],
  ['{"action": [{"input": {"index": 3, "text": "hi"}}]}', 't', '"hi"'],
  ['{"action": [{"drag": {"from": [1, 2], "to": [3, 4]}}]}', 'c', '[1, 2][3, 4]'],
  ['{"action": [{"drag": {"from": "inbox"}}]}', 't', '"inbox"'],
  ['{"action": [{"move": {"x": 5, "y": 6, "direction": "up"}}]}', 'c', '56'],
  ['{"action": [{"press": {"keys": ["Control", "a"]}}]}', 't', '"Control""a"'],
  ['{"action": [{"name": "click", "bbox": [1, [2]]}]}', 'c', '[1, [2]]'],
  ['{"action": ["wait"]}', 't', ''],
  ['{"action": [], "memory": "later"}', 'm', '"later"'],
])('%s: %s is %s', (target, letter, text) => {
  const fields = letters(target);
  expect(
    Array.from(target)
      .filter((_, index) => fields[index] === letter)
      .join(''),
  ).toBe(text);
});

test('what is no JSON object is other, and action from the word on', () => {
  expect(letters('{"a": "action", "action": [')).toBe('o'.repeat(6) + 'a'.repeat(21));
  expect(letters('plain')).toBe('ooooo');
  expect(targetFields('')).toEqual([]);
});

test('no field of an action lies before the mask of the action', () => {
  const target = '{"memory": "she said \\"action\\" twice", "action": [{"click": {"index": 1}}]}';
  expect(/[aict]/.exec(letters(target))?.index).toBe(target.indexOf('"action"'));
});
