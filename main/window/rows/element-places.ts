/** Where the elements of a prompt's list are, as far as the list says so: `[14]<canvas marker at=578,229>`, `[9]<a box=10,20,110,40>`. */
import type { ChatMessage } from '../../datasets/row.ts';

export type Box = [left: number, top: number, right: number, bottom: number];

const pair = String.raw`(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)`;
const boxPattern = new RegExp(String.raw`\b(?:box|bbox|bounds|rect)\s*=\s*["'(\[]*${pair}\s*,\s*${pair}`, 'i');
const pointPattern = new RegExp(String.raw`\b(?:at|center|centre|pos|position)\s*=\s*["'(\[]*${pair}`, 'i');

/** Scale 0 to 1000; null where the list has no such element or gives it no place on the picture. The last list of the prompt counts: it is the current one. */
export function elementPlace(messages: readonly ChatMessage[], index: number): Box | null {
  const line = elementLine(messages, index);
  if (line === null) return null;
  // Only the element's own tag: its text may hold anything.
  const tag = /<[^>]*>/.exec(line)?.[0] ?? line;
  const box = boxPattern.exec(tag)?.slice(1).map(Number);
  const point = box ? undefined : pointPattern.exec(tag)?.slice(1).map(Number);
  const [left = NaN, top = NaN, right = NaN, bottom = NaN] = box ?? [...(point ?? []), ...(point ?? [])];
  const all = [left, top, right, bottom];
  return all.every((value) => value >= 0 && value <= 1000) && left <= right && top <= bottom
    ? [left, top, right, bottom]
    : null;
}

function elementLine(messages: readonly ChatMessage[], index: number): string | null {
  const start = new RegExp(String.raw`^\s*\*?\s*\[${index}\]`);
  for (const { content } of messages.toReversed()) {
    for (const part of content.toReversed()) {
      if (part.type !== 'text' || !part.text.includes(`[${index}]`)) continue;
      const line = part.text.split('\n').findLast((each) => start.test(each));
      if (line !== undefined) return line;
    }
  }
  return null;
}
