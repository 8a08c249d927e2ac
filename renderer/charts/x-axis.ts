/** Ticks of the shared x axis, by what it counts. */
import type { XKind } from './chart-view.ts';
import type { Domain } from './domain.ts';
import { linearTicks, tickLabels, timeTicks } from './ticks.ts';

/** `compact`: 5k instead of 5,000, for narrow plots. */
export function xAxis(
  kind: XKind,
  [low, high]: Domain,
  most: number,
  compact = false,
): { ticks: number[]; labels: string[]; unit: string } {
  if (kind === 'time') return { ...timeTicks(low, high, most), unit: 'time at work' };
  const ticks = linearTicks(low, high, most).filter(Number.isInteger);
  if (high >= 2e6) return { ticks, labels: inUnits(ticks, 1e6, 'M'), unit: kind };
  if (compact && high >= 10_000) return { ticks, labels: inUnits(ticks, 1e3, 'k'), unit: kind };
  return { ticks, labels: tickLabels(ticks), unit: kind };
}

const inUnits = (ticks: readonly number[], unit: number, name: string): string[] =>
  ticks.map((tick) => (tick === 0 ? '0' : `${Number((tick / unit).toPrecision(6))}${name}`));
