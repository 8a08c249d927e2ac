/** The places that an action's fields name: one point, two ends, or strokes. Scale 0 to 1000; what is outside of it is told by `isInScale`. */

export type Point = [x: number, y: number];

export interface ActionPlaces {
  point: Point | null;
  from: Point | null;
  to: Point | null;
  /** Two points or more each. */
  strokes: Point[][];
}

type Fields = Record<string, unknown>;

export const isInScale = ([x, y]: Point): boolean => x >= 0 && x <= 1000 && y >= 0 && y <= 1000;

export function placesOf(fields: Fields): ActionPlaces {
  const strokes = strokesOf(fields['strokes'] ?? fields['path'] ?? fields['points'] ?? fields['stroke']);
  const from = endOf(fields, ['start', 'from', 'source'], '1');
  const to = endOf(fields, ['end', 'to', 'target', 'destination'], '2');
  const point =
    pointOf([fields['coordinate_x'], fields['coordinate_y']]) ??
    pointOf([fields['x'], fields['y']]) ??
    ['coordinate', 'coordinates', 'point', 'position', 'center'].reduce<Point | null>(
      (found, key) => found ?? pointOf(fields[key]),
      null,
    );
  // Two ends with one missing: the point is where it begins (`{"coordinate": ..., "to": ...}`).
  return { point, from: from ?? (to ? point : null), to, strokes };
}

/** `start_x, start_y`, `start_coordinate`, `start: [x, y]`, `start: {x, y}`, `x1, y1`. */
function endOf(fields: Fields, names: readonly string[], number: string): Point | null {
  for (const name of names) {
    const found =
      pointOf([fields[`${name}_x`], fields[`${name}_y`]]) ??
      pointOf([fields[`${name}_coordinate_x`], fields[`${name}_coordinate_y`]]) ??
      pointOf(fields[`${name}_coordinate`]) ??
      pointOf(fields[`${name}_point`]) ??
      pointOf(fields[name]);
    if (found) return found;
  }
  return pointOf([fields[`x${number}`], fields[`y${number}`]]) ?? pointOf(fields[`coordinate${number}`]);
}

function pointOf(value: unknown): Point | null {
  const [x, y, ...more] = Array.isArray(value)
    ? (value as unknown[])
    : typeof value === 'object' && value !== null && 'x' in value && 'y' in value
      ? [value.x, value.y]
      : [];
  return more.length === 0 && isNumber(x) && isNumber(y) ? [x, y] : null;
}

function strokesOf(value: unknown): Point[][] {
  if (!Array.isArray(value)) return [];
  const points = value.map(pointOf);
  if (points.length > 1 && points.every((point) => point !== null)) return [points];
  const inner = value.map((stroke: unknown) =>
    strokesOf(typeof stroke === 'object' && stroke !== null && 'points' in stroke ? stroke.points : stroke),
  );
  return inner.every((strokes) => strokes.length === 1) ? inner.flat() : [];
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
