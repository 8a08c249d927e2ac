import { expect, test } from 'vitest';
import { arrowHead, labelCorner, markShape, pathData } from './mark-geometry.ts';

const image = { width: 1280, height: 800 };

test('places are thousandths of width and height', () => {
  expect(markShape({ kind: 'point', name: 'click', x: 500, y: 1000, label: 'click' }, image, 2)).toMatchObject({
    at: [640, 800],
    target: true,
    box: null,
  });
  expect(
    markShape({ kind: 'element', name: 'click', index: 3, box: [100, 100, 200, 300], label: 'click [3]' }, image, 2),
  ).toMatchObject({ at: [192, 160], box: [128, 80, 128, 160] });
  expect(
    markShape({ kind: 'element', name: 'click', index: 3, box: [100, 100, 100, 100], label: 'click [3]' }, image, 2),
  ).toMatchObject({ at: [128, 80], box: null, target: true });
});

test('an arrow ends where the drag ends', () => {
  const shape = markShape({ kind: 'arrow', name: 'drag', from: [0, 500], to: [500, 500], label: 'drag' }, image, 1)!;
  expect(shape.line).toEqual([
    [0, 400],
    [640, 400],
  ]);
  expect(shape.at).toEqual([640, 400]);
  const [wing, tip, other] = shape.head!;
  expect(tip).toEqual([640, 400]);
  expect(wing![0]).toBeLessThan(640);
  expect(wing![1] + other![1]).toBeCloseTo(800);
});

test('a path is drawn through all its points, and one without extent has no head', () => {
  const points: [number, number][] = [
    [0, 0],
    [500, 500],
    [500, 500],
  ];
  const shape = markShape({ kind: 'path', name: 'draw', points, label: 'draw' }, image, 1)!;
  expect(pathData(shape.line!)).toBe('M0.0 0.0L640.0 400.0L640.0 400.0');
  expect(shape.head).not.toBeNull();
  expect(
    arrowHead(
      [
        [3, 3],
        [3, 3],
      ],
      1,
    ),
  ).toBeNull();
});

test('what has no place is not drawn', () => {
  expect(markShape({ kind: 'none', name: 'wait', label: 'wait' }, image, 1)).toBeNull();
  expect(markShape({ kind: 'element', name: 'click', index: 3, box: null, label: 'click [3]' }, image, 1)).toBeNull();
});

test('labels stay inside the picture', () => {
  const size = { width: 200, height: 30 };
  for (const at of [
    [0, 0],
    [1280, 0],
    [0, 800],
    [1280, 800],
    [640, 400],
  ] as const) {
    const [x, y] = labelCorner([at[0], at[1]], size, image, 2);
    expect(x >= 0 && x + size.width <= image.width && y >= 0 && y + size.height <= image.height).toBe(true);
  }
});
