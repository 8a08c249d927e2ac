/** Marks in the pixels of their image. Sizes are chosen for how wide the image is shown, so that a label reads the same on a phone's and a desktop's picture. */
import type { ActionMark, ShownImage } from '../../../main/contract/window/rows.ts';

export type PixelPoint = [x: number, y: number];

export interface MarkShape {
  label: string;
  /** Where the label points to. */
  at: PixelPoint;
  /** Circle and cross around `at`. */
  target: boolean;
  /** Left, top, width, height. */
  box: [number, number, number, number] | null;
  line: PixelPoint[] | null;
  /** Points of the head of an arrow. */
  head: PixelPoint[] | null;
}

/** Null for what has no place: it is said, not drawn. `unit`: image pixels that make one pixel on the screen. */
export function markShape(
  mark: ActionMark,
  image: Pick<ShownImage, 'width' | 'height'>,
  unit: number,
): MarkShape | null {
  const place = ([x, y]: PixelPoint): PixelPoint => [(x / 1000) * image.width, (y / 1000) * image.height];
  const empty = { label: mark.label, target: false, box: null, line: null, head: null };
  switch (mark.kind) {
    case 'none':
      return null;
    case 'point':
      return { ...empty, at: place([mark.x, mark.y]), target: true };
    case 'element': {
      if (mark.box === null) return null;
      const [left, top] = place([mark.box[0], mark.box[1]]);
      const [right, bottom] = place([mark.box[2], mark.box[3]]);
      const middle: PixelPoint = [(left + right) / 2, (top + bottom) / 2];
      const isPoint = right === left && bottom === top;
      return { ...empty, at: middle, target: true, box: isPoint ? null : [left, top, right - left, bottom - top] };
    }
    case 'arrow': {
      const line = [place(mark.from), place(mark.to)];
      return { ...empty, at: place(mark.to), line, head: arrowHead(line, unit) };
    }
    case 'path': {
      const line = mark.points.map(place);
      return { ...empty, at: line.at(-1) ?? [0, 0], line, head: arrowHead(line, unit) };
    }
  }
}

/** Two strokes back from the end of a line. Null where the line has no direction. */
export function arrowHead(line: readonly PixelPoint[], unit: number): PixelPoint[] | null {
  const end = line.at(-1);
  const before = line.findLast(([x, y]) => end !== undefined && (x !== end[0] || y !== end[1]));
  if (!end || !before) return null;
  const angle = Math.atan2(end[1] - before[1], end[0] - before[0]);
  const wing = (turn: number): PixelPoint => [
    end[0] - Math.cos(angle + turn) * 10 * unit,
    end[1] - Math.sin(angle + turn) * 10 * unit,
  ];
  return [wing(0.5), end, wing(-0.5)];
}

/** Top left corner of a label of that size beside a place: right above it, moved to where it is inside the image. */
export function labelCorner(
  [x, y]: PixelPoint,
  size: { width: number; height: number },
  image: Pick<ShownImage, 'width' | 'height'>,
  unit: number,
): PixelPoint {
  const gap = 14 * unit;
  const left = x + gap + size.width <= image.width ? x + gap : x - gap - size.width;
  const top = y - gap - size.height >= 0 ? y - gap - size.height : y + gap;
  const inside = (value: number, most: number): number => Math.max(0, Math.min(value, most));
  return [inside(left, image.width - size.width), inside(top, image.height - size.height)];
}

export const pathData = (points: readonly PixelPoint[]): string =>
  points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');
