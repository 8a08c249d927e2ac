/** What stands on a plot's canvas: bands, lines, marks. Pure drawing, in CSS pixels; colours come in. Values that are not finite break a line. */
/* eslint-disable @typescript-eslint/no-non-null-assertion -- indices are within the arrays that they were taken from */
import type { SeriesBuckets } from '../../main/contract/window/runs.ts';
import { indexRange } from './domain.ts';
import type { PlotScales } from './scales.ts';

export interface LineStyle {
  colour: string;
  width: number;
  dash: readonly number[];
  /** 0 to 1. */
  alpha: number;
}

type Pen = CanvasRenderingContext2D;

/** The range of x that the plot shows, from its scale. */
function shownRange(scales: PlotScales, curve: SeriesBuckets): [number, number] {
  const x0 = scales.x(0);
  const perUnit = scales.x(1) - x0;
  return indexRange(curve.x, -x0 / perUnit, (scales.width - x0) / perUnit);
}

/** From the smallest to the largest value of each bucket, at 20 %. Where buckets are single steps the band has no height: its edge is drawn instead. */
export function paintBand(pen: Pen, scales: PlotScales, curve: SeriesBuckets, colour: string, alpha = 1): void {
  const [first, end] = shownRange(scales, curve);
  pen.save();
  pen.fillStyle = colour;
  pen.strokeStyle = colour;
  pen.lineWidth = 1;
  pen.lineJoin = 'round';
  let flat = 0;
  const piece = (from: number, to: number): void => {
    if (to - from < 1) return;
    pen.beginPath();
    for (let i = from; i < to; i++) pen.lineTo(scales.x(curve.x[i]!), scales.y(curve.high[i]!));
    for (let i = to - 1; i >= from; i--) pen.lineTo(scales.x(curve.x[i]!), scales.y(curve.low[i]!));
    pen.closePath();
    pen.globalAlpha = 0.2 * alpha;
    pen.fill();
    if (flat <= (to - from) * 0.5) return;
    pen.beginPath();
    for (let i = from; i < to; i++) pen.lineTo(scales.x(curve.x[i]!), scales.y(curve.last[i]!));
    pen.globalAlpha = 0.42 * alpha;
    pen.stroke();
  };
  let from = first;
  for (let i = first; i < end; i++) {
    if (Number.isFinite(curve.low[i]) && Number.isFinite(curve.high[i])) {
      if (curve.low[i] === curve.high[i]) flat++;
      continue;
    }
    piece(from, i);
    from = i + 1;
    flat = 0;
  }
  piece(from, end);
  pen.restore();
}

export function paintLine(pen: Pen, scales: PlotScales, curve: SeriesBuckets, style: LineStyle): void {
  const [first, end] = shownRange(scales, curve);
  paintPolyline(pen, scales, curve.x.subarray(first, end), curve.ema.subarray(first, end), style);
}

export function paintPolyline(
  pen: Pen,
  scales: PlotScales,
  xs: ArrayLike<number>,
  ys: ArrayLike<number>,
  style: LineStyle,
): void {
  pen.save();
  pen.globalAlpha = style.alpha;
  pen.strokeStyle = style.colour;
  pen.fillStyle = style.colour;
  pen.lineWidth = style.width;
  pen.lineJoin = 'round';
  pen.setLineDash([...style.dash]);
  pen.beginPath();
  let run = 0;
  for (let i = 0; i <= xs.length; i++) {
    const y = i < xs.length ? ys[i]! : Number.NaN;
    if (Number.isFinite(y)) {
      if (run === 0) pen.moveTo(scales.x(xs[i]!), scales.y(y));
      else pen.lineTo(scales.x(xs[i]!), scales.y(y));
      run++;
      continue;
    }
    // A single point has no line: a dot, so that the first step is seen.
    if (run === 1) {
      const at = i - 1;
      pen.rect(scales.x(xs[at]!) - 1, scales.y(ys[at]!) - 1, 2, 2);
    }
    run = 0;
  }
  pen.stroke();
  pen.restore();
}

/** Diagonal hairlines from `from` to `to` (pixels): what a resume replaced, or what has not been heard. */
export function paintHatch(pen: Pen, scales: PlotScales, from: number, to: number, colour: string): void {
  if (to <= from) return;
  pen.save();
  pen.beginPath();
  pen.rect(from, 0, to - from, scales.height);
  pen.clip();
  pen.strokeStyle = colour;
  pen.globalAlpha = 0.75;
  pen.lineWidth = 1;
  pen.beginPath();
  const apart = 7;
  const start = Math.floor((from - scales.height) / apart) * apart;
  for (let x = start; x < to + scales.height; x += apart) {
    pen.moveTo(x, scales.height);
    pen.lineTo(x + scales.height, 0);
  }
  pen.stroke();
  pen.restore();
}

/** Over the whole height. */
export function paintUpright(
  pen: Pen,
  scales: PlotScales,
  x: number,
  colour: string,
  dash: readonly number[] = [],
): void {
  pen.save();
  pen.strokeStyle = colour;
  pen.lineWidth = 1;
  pen.setLineDash([...dash]);
  pen.beginPath();
  const at = Math.min(scales.width - 1, Math.round(scales.x(x))) + 0.5;
  pen.moveTo(at, 0);
  pen.lineTo(at, scales.height);
  pen.stroke();
  pen.restore();
}

/** Over the whole width. */
export function paintLevel(
  pen: Pen,
  scales: PlotScales,
  y: number,
  colour: string,
  dash: readonly number[] = [],
): void {
  pen.save();
  pen.strokeStyle = colour;
  pen.lineWidth = 1;
  pen.setLineDash([...dash]);
  pen.beginPath();
  const at = Math.round(scales.y(y)) + 0.5;
  pen.moveTo(0, at);
  pen.lineTo(scales.width, at);
  pen.stroke();
  pen.restore();
}

export interface PointMark {
  x: number;
  y: number;
  /** Half the length of the bar over and under it, in units of y; 0: none. */
  error: number;
}

/** A square with the ground's colour inside (hollow) or filled, and its bar. */
export function paintSquare(
  pen: Pen,
  scales: PlotScales,
  mark: PointMark,
  style: { colour: string; ground: string; hollow: boolean; caps: boolean },
): void {
  const x = scales.x(mark.x);
  const y = scales.y(mark.y);
  pen.save();
  pen.strokeStyle = style.colour;
  pen.fillStyle = style.hollow ? style.ground : style.colour;
  if (mark.error > 0) {
    const top = scales.y(mark.y + mark.error);
    const bottom = scales.y(mark.y - mark.error);
    pen.lineWidth = 1.2;
    pen.beginPath();
    pen.moveTo(x, top);
    pen.lineTo(x, bottom);
    if (style.caps)
      for (const end of [top, bottom]) {
        pen.moveTo(x - 3, end);
        pen.lineTo(x + 3, end);
      }
    pen.stroke();
  }
  pen.lineWidth = 1.6;
  pen.beginPath();
  pen.rect(x - 2.7, y - 2.7, 5.4, 5.4);
  pen.fill();
  pen.stroke();
  pen.restore();
}
