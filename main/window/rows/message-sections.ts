/**
 * Cuts a message's text into the parts that a prompt names with tags, `<user_request>...</user_request>`, so that a window can fold each. Only whole,
 * plain tags at the start of a line (or right behind another section) count: a page's own markup inside the text is not a section.
 */
import type { ChatMessage } from '../../datasets/row.ts';
import type { MessageSection, ShownMessage } from '../../contract/window/rows.ts';

const opening = /(^|\n)[ \t]*<([A-Za-z][\w-]*)>/g;

/** Sections in order. The text of a tag is what stands between it and its own end; blank text between tags is left out, other text has no name. */
export function splitSections(text: string): MessageSection[] {
  const sections: MessageSection[] = [];
  const outside = (part: string): void => {
    if (part.trim() !== '') sections.push({ name: null, text: part });
  };
  let done = 0;
  let from = 0;
  for (;;) {
    const tag = nextTag(text, from, done);
    if (tag === null) break;
    const end = findEnd(text, tag.name, tag.end);
    if (end === null) {
      // Never closed: it is text like any other.
      from = tag.end;
      continue;
    }
    outside(text.slice(done, tag.start));
    sections.push({ name: tag.name, text: text.slice(tag.end, end.start) });
    done = from = end.end;
  }
  outside(text.slice(done));
  return sections;
}

interface Tag {
  name: string;
  start: number;
  end: number;
}

/** `after`: end of the last section; a tag may follow it on the same line. */
function nextTag(text: string, from: number, after: number): Tag | null {
  if (after > 0 && from === after) {
    const behind = /^[ \t]*<([A-Za-z][\w-]*)>/.exec(text.slice(after, after + 200));
    if (behind?.[1] !== undefined) return { name: behind[1], start: after, end: after + behind[0].length };
  }
  opening.lastIndex = Math.max(0, from - 1);
  for (;;) {
    const match = opening.exec(text);
    if (match === null) return null;
    const isStart = match[1] === '\n' || match.index === 0;
    const start = match.index + (match[1]?.length ?? 0);
    if (!isStart || start < from) continue;
    return { name: match[2] ?? '', start, end: match.index + match[0].length };
  }
}

/** The end tag that belongs to a start tag, others of the same name inside counted. */
function findEnd(text: string, name: string, from: number): { start: number; end: number } | null {
  const tags = new RegExp(`<(/?)${name}>`, 'g');
  tags.lastIndex = from;
  let depth = 1;
  for (let match = tags.exec(text); match !== null; match = tags.exec(text)) {
    depth += match[1] === '/' ? -1 : 1;
    if (depth === 0) return { start: match.index, end: match.index + match[0].length };
  }
  return null;
}

/** Messages with their texts in sections and their images, counted through the row, where they stand. */
export function shownMessages(messages: readonly ChatMessage[]): ShownMessage[] {
  let images = 0;
  return messages.map(({ role, content }) => ({
    role,
    parts: content.map((part) =>
      part.type === 'image' ? { kind: 'image', image: images++ } : { kind: 'text', sections: splitSections(part.text) },
    ),
  }));
}
