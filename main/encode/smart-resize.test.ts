import { expect, test } from 'vitest';
import { roundHalfEven, smartResize } from './smart-resize.ts';

const limits = { factor: 32, minPixels: 65536, maxPixels: 16777216 };

test('halves go to the even side', () => {
  expect([0.5, 1.5, 2.5, 22.5, 23.5, 2.4, 2.6].map(roundHalfEven)).toEqual([0, 2, 2, 22, 24, 2, 3]);
  expect(smartResize(720, 1280, limits)).toEqual([704, 1280]);
});

// Values of the Python function.
test.each([
  [800, 1280, [800, 1280]],
  [1080, 1920, [1088, 1920]],
  [600, 800, [608, 800]],
  [991, 377, [992, 384]],
  [10, 10, [256, 256]],
])('%d x %d', (height, width, size) => expect(smartResize(height, width, limits)).toEqual(size));

test('areas stay within the limits, sides are at least one unit', () => {
  const [height, width] = smartResize(10, 2000, { factor: 32, minPixels: 1024, maxPixels: 4096 })!;
  expect([height, width]).toEqual([32, 480]);
  expect(smartResize(1, 201, limits)).toBeNull();
  expect(smartResize(1, 200, limits)).not.toBeNull();
});
