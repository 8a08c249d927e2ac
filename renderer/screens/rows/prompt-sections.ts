/** The prompt as a list of foldable parts: what is open at first, which lines are shown of a long list, and where a searched text occurs. */
import type { ActionMark, ShownMessage } from '../../../main/contract/window/rows.ts';

export interface PromptPart {
  /** Place in the prompt; never changes. */
  id: number;
  role: string;
  /** As the list shows it: the tag, or what the text is. */
  title: string;
  text: string;
  /** Number of the image that stands here; null: text. */
  image: number | null;
}

export type Fold = 'closed' | 'around' | 'open';

export function promptParts(messages: readonly ShownMessage[]): PromptPart[] {
  const parts: Omit<PromptPart, 'id'>[] = messages.flatMap(({ role, parts: inner }) => {
    if (role === 'system') {
      // One thing to a reader, whatever tags it uses inside.
      const text = inner
        .flatMap((part) => (part.kind === 'text' ? part.sections : []))
        .map(({ name, text: each }) => (name === null ? each : `<${name}>${each}</${name}>`))
        .join('\n');
      return [{ role, title: 'system', text: trimLines(text), image: null }];
    }
    return inner.flatMap((part): Omit<PromptPart, 'id'>[] =>
      part.kind === 'image'
        ? [{ role, title: 'image', text: '', image: part.image }]
        : part.sections.map(({ name, text }) => ({
            role,
            title: name ?? (role === 'user' ? 'text' : role),
            text: trimLines(text),
            image: null,
          })),
    );
  });
  return parts.map((part, id) => ({ id, ...part }));
}

const trimLines = (text: string): string => text.replace(/^[ \t]*\n+/, '').trimEnd();

/** A number in the element list that the target acts on. */
export function actedElements(marks: readonly ActionMark[]): number[] {
  return marks.flatMap((mark) => (mark.kind === 'element' ? [mark.index] : []));
}

const isElementLine = (line: string, index: number): boolean => new RegExp(`^\\s*\\*?\\s*\\[${index}\\]`).test(line);

/** The request is what one reads first; a list with the acted element shows its neighbourhood; the rest is folded. */
export function firstFold(part: PromptPart, acted: readonly number[]): Fold {
  if (part.role === 'system' || part.image !== null) return 'closed';
  if (/request|task|goal|instruction/i.test(part.title)) return 'open';
  const lines = part.text.split('\n');
  return acted.some((index) => lines.some((line) => isElementLine(line, index))) ? 'around' : 'closed';
}

export interface LineRange {
  from: number;
  /** Exclusive. */
  to: number;
}

/** Lines around those of the acted elements, as ranges in order that do not touch. */
export function linesAround(text: string, acted: readonly number[], reach = 2): LineRange[] {
  const lines = text.split('\n');
  const ranges: LineRange[] = [];
  lines.forEach((line, at) => {
    if (!acted.some((index) => isElementLine(line, index))) return;
    const range = { from: Math.max(0, at - reach), to: Math.min(lines.length, at + reach + 1) };
    const last = ranges.at(-1);
    if (last && range.from <= last.to) last.to = range.to;
    else ranges.push(range);
  });
  return ranges;
}

export const isActedLine = (line: string, acted: readonly number[]): boolean =>
  acted.some((index) => isElementLine(line, index));

export interface Hit {
  part: number;
  start: number;
  end: number;
}

/** Every occurrence of `wanted` in the texts; small letters match capitals too. Spaces around it do not count. */
export function findHits(parts: readonly PromptPart[], wanted: string): Hit[] {
  const word = wanted.trim();
  if (word === '') return [];
  // Not toLowerCase on the text: some letters become longer by it, and places would be off.
  const pattern = new RegExp(word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), word === word.toLowerCase() ? 'giu' : 'gu');
  return parts.flatMap(({ id, text }) =>
    [...text.matchAll(pattern)].map(({ index, 0: found }) => ({ part: id, start: index, end: index + found.length })),
  );
}

/** First line with something in it, for the folded part. */
export function firstLine(text: string): string {
  return (
    text
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim() ?? ''
  );
}
