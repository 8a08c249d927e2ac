/**
 * From values to pixels of a plot. The axes are recharts'; what is painted on the canvas goes through the same scales, sampled at the ends of the axis: a linear or
 * log scale is known from two points, and a plain multiplication is quicker than a call per vertex.
 */
import type { Domain } from './domain.ts';

export interface PlotScales {
  /** CSS pixels from the left edge of the plot. */
  x: (value: number) => number;
  /** CSS pixels from its upper edge. Values that a log scale cannot hold lie under the plot. */
  y: (value: number) => number;
  width: number;
  height: number;
}

/** `pixels`: where the domain's two ends are drawn. */
export function linearMap([low, high]: Domain, [atLow, atHigh]: readonly [number, number]): (value: number) => number {
  const factor = (atHigh - atLow) / (high - low);
  return (value) => atLow + (value - low) * factor;
}

export function logMap([low, high]: Domain, [atLow, atHigh]: readonly [number, number]): (value: number) => number {
  const start = Math.log(low);
  const factor = (atHigh - atLow) / (Math.log(high) - start);
  return (value) => (value > 0 ? atLow + (Math.log(value) - start) * factor : atLow + Math.sign(atLow - atHigh) * 1e4);
}

/** From a pixel of the plot's width back to a value. */
export const invert = ([low, high]: Domain, width: number, pixel: number): number =>
  low + ((high - low) * Math.min(width, Math.max(0, pixel))) / Math.max(1, width);
