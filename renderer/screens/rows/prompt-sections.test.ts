import { expect, test } from 'vitest';
import type { ShownMessage } from '../../../main/contract/window/rows.ts';
import { actedElements, findHits, firstFold, firstLine, linesAround, promptParts } from './prompt-sections.ts';

const messages: ShownMessage[] = [
  {
    role: 'system',
    parts: [
      {
        kind: 'text',
        sections: [
          { name: null, text: 'Be brief.' },
          { name: 'rules', text: 'None.' },
        ],
      },
    ],
  },
  {
    role: 'user',
    parts: [
      {
        kind: 'text',
        sections: [
          { name: 'user_request', text: '\n  Do it.\n' },
          { name: 'browser_state', text: '\nTab: A\n[1]<a>x</a>\n[12]<a>y</a>\n[2]<a>z</a>\n[3]<a>[12]</a>\n' },
          { name: null, text: 'Current screenshot:\n' },
        ],
      },
      { kind: 'image', image: 0 },
    ],
  },
];

test('the system prompt is one part, sections and images stand in their order', () => {
  expect(promptParts(messages).map(({ id, title, text, image }) => [id, title, text, image])).toEqual([
    [0, 'system', 'Be brief.\n<rules>None.</rules>', null],
    [1, 'user_request', '  Do it.', null],
    [2, 'browser_state', 'Tab: A\n[1]<a>x</a>\n[12]<a>y</a>\n[2]<a>z</a>\n[3]<a>[12]</a>', null],
    [3, 'text', 'Current screenshot:', null],
    [4, 'image', '', 0],
  ]);
});

test('the request is open, the list shows the acted element, the rest is folded', () => {
  const acted = actedElements([{ kind: 'element', name: 'click', index: 12, box: null, label: '' }]);
  expect(acted).toEqual([12]);
  expect(promptParts(messages).map((part) => firstFold(part, acted))).toEqual([
    'closed',
    'open',
    'around',
    'closed',
    'closed',
  ]);
  expect(promptParts(messages).map((part) => firstFold(part, []))).toEqual([
    'closed',
    'open',
    'closed',
    'closed',
    'closed',
  ]);
});

test('lines around the element, not around its number in another text', () => {
  const { text } = promptParts(messages)[2]!;
  expect(linesAround(text, [12], 1)).toEqual([{ from: 1, to: 4 }]);
  expect(linesAround(text, [12, 3], 1)).toEqual([{ from: 1, to: 5 }]);
  expect(linesAround(text, [2, 1], 0)).toEqual([
    { from: 1, to: 2 },
    { from: 3, to: 4 },
  ]);
  expect(linesAround(text, [99])).toEqual([]);
});

test('a search finds every place, and takes its signs as they are', () => {
  const parts = promptParts(messages);
  expect(findHits(parts, '[12]')).toHaveLength(2);
  expect(findHits(parts, 'DO').map(({ part }) => part)).toEqual([]);
  expect(findHits(parts, ' do it')).toEqual([{ part: 1, start: 2, end: 7 }]);
  expect(findHits(parts, '<a>').map(({ part }) => part)).toEqual([2, 2, 2, 2]);
  expect(findHits(parts, ' ')).toEqual([]);
  for (const sign of [
    '\\',
    '^',
    '$',
    '.',
    '*',
    '+',
    '?',
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    '|',
    '/',
    '-',
    '#',
    '&',
    ',',
    '=',
    ':',
    '<',
    '!',
    '"',
    '~',
    '`',
    '@',
    ';',
  ])
    expect(findHits([{ id: 0, role: 'user', title: 't', text: `a${sign}b`, image: null }], sign)).toEqual([
      { part: 0, start: 1, end: 2 },
    ]);
});

test('the folded line is the first that says something', () => {
  expect(firstLine('\n \n  hello \nworld')).toBe('hello');
  expect(firstLine('')).toBe('');
});
