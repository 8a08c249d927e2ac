import { expect, test } from 'vitest';
import { shownMessages, splitSections } from './message-sections.ts';

test('tags at line starts are sections, text outside has no name, blank text is left out', () => {
  expect(
    splitSections(
      'Before\n<user_request>\nDo it.\n</user_request>\n\n<step_info>Step 1</step_info><x-y>z</x-y>\nAfter',
    ),
  ).toEqual([
    { name: null, text: 'Before\n' },
    { name: 'user_request', text: '\nDo it.\n' },
    { name: 'step_info', text: 'Step 1' },
    { name: 'x-y', text: 'z' },
    { name: null, text: '\nAfter' },
  ]);
});

test('a page’s own markup inside is not split', () => {
  const list = '\n[6]<a>Calendar</a>\n<b>bold</b>\n<browser_state>x</browser_state>\n';
  expect(splitSections(`<browser_state>${list}</browser_state>`)).toEqual([{ name: 'browser_state', text: list }]);
});

test('what is no whole plain tag at a line start stays text, every character of it', () => {
  for (const text of [
    'a <b>c</b> d',
    '<open>never closed\n</close>',
    '<a href="x">y</a>',
    '</a>',
    '[3]<a>b</a>',
    'x < y > z',
  ])
    expect(splitSections(text)).toEqual([{ name: null, text }]);
  expect(splitSections(' \n ')).toEqual([]);
});

test('an unclosed tag does not hide the sections after it', () => {
  expect(splitSections('<open>\n<task>t</task>')).toEqual([
    { name: null, text: '<open>\n' },
    { name: 'task', text: 't' },
  ]);
});

test('a long text is split in time', () => {
  const text = `${'<a>\n'.repeat(3000)}${'<b>x</b>\n'.repeat(3000)}`;
  const start = performance.now();
  expect(splitSections(text).filter(({ name }) => name === 'b')).toHaveLength(3000);
  expect(performance.now() - start).toBeLessThan(2000);
});

test('images are counted through the row', () => {
  const text = (each: string) => ({ type: 'text' as const, text: each });
  expect(
    shownMessages([
      { role: 'system', content: [text('Be brief.')] },
      { role: 'user', content: [text('One'), { type: 'image' }, { type: 'image' }] },
      { role: 'user', content: [{ type: 'image' }] },
    ]).map(({ parts }) => parts.map((part) => (part.kind === 'image' ? part.image : part.sections))),
  ).toEqual([[[{ name: null, text: 'Be brief.' }]], [[{ name: null, text: 'One' }], 0, 1], [2]]);
});
