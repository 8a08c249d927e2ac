import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseRow } from '../../datasets/row.ts';
import type { ChatMessage } from '../../datasets/row.ts';
import { projectFolder } from '../../paths.ts';
import { actionMarks } from './action-marks.ts';

const list = (...lines: string[]): ChatMessage[] => [
  { role: 'user', content: [{ type: 'text', text: `<browser_state>\n${lines.join('\n')}\n</browser_state>` }] },
];
const page = list(
  '[6]<a>Calendar</a>',
  '[12]<canvas marker at=350,221>Toronto</canvas>',
  '[13]<a box=10,20,110,40>at=5,5</a>',
  '[14]<a box=10,20,1110,40>Wide</a>',
  '\t*[15]<a at=7,8>New</a>',
);
const marks = (action: unknown, messages = page) => actionMarks(JSON.stringify({ memory: 'm', action }), messages);

test.each([
  [
    { click: { index: null, coordinate_x: 350, coordinate_y: 221 } },
    { kind: 'point', name: 'click', x: 350, y: 221, label: 'click' },
  ],
  [{ double_click: { x: 1, y: 2 } }, { kind: 'point', name: 'double_click', x: 1, y: 2, label: 'double click' }],
  [
    { right_click: { coordinate: [0, 1000] } },
    { kind: 'point', name: 'right_click', x: 0, y: 1000, label: 'right click' },
  ],
  [{ tap: { point: { x: 3, y: 4 } } }, { kind: 'point', name: 'tap', x: 3, y: 4, label: 'tap' }],
  [
    { click: { index: 6, coordinate_x: null, coordinate_y: null } },
    { kind: 'element', name: 'click', index: 6, box: null, label: 'click [6]' },
  ],
  [
    { click: { index: 12 } },
    { kind: 'element', name: 'click', index: 12, box: [350, 221, 350, 221], label: 'click [12]' },
  ],
  [
    { click: { index: 13 } },
    { kind: 'element', name: 'click', index: 13, box: [10, 20, 110, 40], label: 'click [13]' },
  ],
  [{ click: { index: 14 } }, { kind: 'element', name: 'click', index: 14, box: null, label: 'click [14]' }],
  [{ click: { index: 15 } }, { kind: 'element', name: 'click', index: 15, box: [7, 8, 7, 8], label: 'click [15]' }],
  [
    { input: { index: 6, text: 'uwe24', clear: true } },
    { kind: 'element', name: 'input', index: 6, box: null, label: 'input [6] "uwe24"' },
  ],
  [
    { select_dropdown: { index: 6, text: 'Japan' } },
    { kind: 'element', name: 'select_dropdown', index: 6, box: null, label: 'select dropdown [6] "Japan"' },
  ],
  [
    { upload_file: { index: 6, path: 'a.xlsx' } },
    { kind: 'element', name: 'upload_file', index: 6, box: null, label: 'upload file [6] "a.xlsx"' },
  ],
  [
    { drag: { start_x: 1, start_y: 2, end_x: 3, end_y: 4 } },
    { kind: 'arrow', name: 'drag', from: [1, 2], to: [3, 4], label: 'drag' },
  ],
  [{ drag: { from: [1, 2], to: [3, 4] } }, { kind: 'arrow', name: 'drag', from: [1, 2], to: [3, 4], label: 'drag' }],
  [
    { scroll: { down: true, pages: 1, index: null } },
    { kind: 'arrow', name: 'scroll', from: [500, 400], to: [500, 600], label: 'scroll down 1 page' },
  ],
  [
    { scroll: { down: false, pages: 2, index: 12 } },
    { kind: 'arrow', name: 'scroll', from: [350, 321], to: [350, 121], label: 'scroll [12] up 2 pages' },
  ],
  [
    { scroll: { direction: 'left', x: 50, y: 50 } },
    { kind: 'arrow', name: 'scroll', from: [150, 50], to: [0, 50], label: 'scroll left' },
  ],
  [
    { scroll: { down: true, index: 6 } },
    { kind: 'element', name: 'scroll', index: 6, box: null, label: 'scroll [6] down' },
  ],
  [
    { navigate: { url: 'https://a.example/', new_tab: false } },
    { kind: 'none', name: 'navigate', label: 'navigate "https://a.example/"' },
  ],
  [{ go_back: {} }, { kind: 'none', name: 'go_back', label: 'go back' }],
  [
    { extract: { query: 'prices', extract_links: false } },
    { kind: 'none', name: 'extract', label: 'extract "prices"' },
  ],
  [{ wait: { seconds: 3 } }, { kind: 'none', name: 'wait', label: 'wait 3 s' }],
  [
    { done: { text: 'Yes.', success: true, files_to_display: [] } },
    { kind: 'none', name: 'done', label: 'done "Yes."' },
  ],
  [
    { click: { coordinate_x: 1520, coordinate_y: 640 } },
    { kind: 'none', name: 'click', label: 'click at 1520, 640, outside of 0 to 1000' },
  ],
])('reads %j', (action, mark) => expect(marks([action])).toEqual([mark]));

test('strokes are one path each', () => {
  const strokes = [
    [
      [1, 2],
      [3, 4],
    ],
    [
      [5, 6],
      [7, 8],
      [9, 10],
    ],
  ];
  expect(marks([{ gesture: { strokes } }])).toEqual([
    { kind: 'path', name: 'gesture', points: strokes[0], label: 'gesture 1 of 2' },
    { kind: 'path', name: 'gesture', points: strokes[1], label: 'gesture 2 of 2' },
  ]);
  expect(
    marks([
      {
        draw: {
          path: [
            { x: 1, y: 2 },
            { x: 3, y: 4 },
          ],
        },
      },
    ]),
  ).toEqual([
    {
      kind: 'path',
      name: 'draw',
      points: [
        [1, 2],
        [3, 4],
      ],
      label: 'draw',
    },
  ]);
});

test('other ways to write an action', () => {
  const point = { kind: 'point', name: 'left_click', x: 5, y: 6, label: 'left click' };
  expect(marks({ type: 'left_click', coordinate: [5, 6] })).toEqual([point]);
  expect(
    actionMarks(
      'Thinking.\n{"name": "computer", "arguments": {"action": "left_click", "coordinate": [5, 6]}} ok',
      page,
    ),
  ).toEqual([point]);
  expect(marks('wait')).toEqual([{ kind: 'none', name: 'wait', label: 'wait' }]);
});

test.each([
  'no JSON',
  '{"memory": "m", "action": [{"click"',
  '[]',
  '"action"',
  '{"memory": "m", "plan": ["a"]}',
  '{"action": null}',
  '{"action": [null, 3]}',
  '',
])('%j has no marks and is no error', (target) => expect(actionMarks(target, page)).toEqual([]));

test('every row of the demo has the mark of its operation', () => {
  const rows = path.join(projectFolder, 'demo', 'rows');
  const kinds = new Map<string, Set<string>>();
  for (const episode of readdirSync(rows).filter((name) => !name.startsWith('_'))) {
    for (const line of readFileSync(path.join(rows, episode, 'rows.jsonl'), 'utf8').split('\n')) {
      const row = line.trim() === '' ? 'inject' : parseRow(line);
      if (typeof row === 'string') continue;
      const found = actionMarks(row.target, row.messages);
      expect(found.map(({ name }) => name)).toEqual(row.fields.op === 'plan' ? [] : [row.fields.op]);
      const of = kinds.get(row.fields.op ?? '') ?? new Set();
      for (const { kind } of found) of.add(kind);
      kinds.set(row.fields.op ?? '', of);
    }
  }
  expect(Object.fromEntries([...kinds].map(([op, of]) => [op, [...of].sort()]))).toEqual({
    scroll: ['arrow'],
    done: ['none'],
    drag: ['arrow'],
    click: ['element', 'point'],
    input: ['element'],
    upload_file: ['element'],
    plan: [],
    extract: ['none'],
    select_dropdown: ['element'],
    wait: ['none'],
    go_back: ['none'],
    navigate: ['none'],
  });
});
