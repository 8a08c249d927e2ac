import { expect, test } from 'vitest';
import sharp from 'sharp';
import { ImageFault, readImageHeader } from './image-header.ts';
import { makePng } from './testing/pool-fixture.ts';

const raw = { create: { width: 37, height: 21, channels: 3, background: { r: 10, g: 200, b: 90 } } } as const;
const noisy = sharp(Buffer.from(Array.from({ length: 64 * 48 * 3 }, (_, index) => (index * 7919) % 251)), {
  raw: { width: 64, height: 48, channels: 3 },
});

const fault = (bytes: Buffer): string => {
  try {
    readImageHeader(bytes);
  } catch (error) {
    if (error instanceof ImageFault) return error.code;
    throw error;
  }
  return 'accepted';
};

test.each([
  ['png', () => sharp(raw).png().toBuffer()],
  ['png', () => sharp(raw).png({ palette: true }).toBuffer()],
  ['png', () => sharp(raw).ensureAlpha().png({ progressive: true }).toBuffer()],
  ['jpeg', () => sharp(raw).jpeg().toBuffer()],
  ['jpeg', () => sharp(raw).jpeg({ progressive: true, optimiseCoding: true }).toBuffer()],
  ['jpeg', () => sharp(raw).greyscale().jpeg().toBuffer()],
  ['jpeg', () => sharp(raw).withMetadata({ orientation: 6 }).jpeg().toBuffer()],
  ['webp', () => sharp(raw).webp().toBuffer()],
  ['webp', () => sharp(raw).webp({ lossless: true }).toBuffer()],
  ['webp', () => sharp(raw).ensureAlpha(0.5).webp().toBuffer()],
])('%s', async (format, make) => {
  expect(readImageHeader(await make())).toEqual({ format, width: 37, height: 21 });
});

test.each([
  ['png', () => noisy.clone().png().toBuffer()],
  ['jpeg', () => noisy.clone().jpeg().toBuffer()],
  ['jpeg', () => noisy.clone().jpeg({ progressive: true }).toBuffer()],
  ['webp', () => noisy.clone().webp().toBuffer()],
  ['webp', () => noisy.clone().webp({ lossless: true }).toBuffer()],
])('a %s cut off anywhere is called truncated, never accepted', async (_, make) => {
  const bytes = await make();
  expect(fault(bytes)).toBe('accepted');
  for (let length = 0; length < bytes.length; length += 1 + Math.floor(bytes.length / 200)) {
    expect(fault(bytes.subarray(0, length)), `${length} of ${bytes.length}`).toBe('image-truncated');
  }
  expect(fault(bytes.subarray(0, -1))).not.toBe('accepted');
});

test('what the trainer would read differently is refused', async () => {
  expect(fault(makePng(4, 4, { depth: 16 }))).toBe('image-colour');
  expect(fault(await sharp(raw).toColourspace('cmyk').jpeg().toBuffer())).toBe('image-colour');
  expect(fault(await sharp(raw).gif().toBuffer())).toBe('image-format');
  expect(fault(Buffer.from('<html>not an image</html>'))).toBe('image-format');
});

test('a flipped bit in the pixels of a PNG shows', () => {
  const bytes = makePng(16, 16);
  bytes.writeUInt8(bytes.readUInt8(50) ^ 1, 50);
  expect(fault(bytes)).toBe('image-broken');
});
