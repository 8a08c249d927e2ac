/**
 * Where the labels of an axis stand and how they read. Steps are 1, 2 or 5 times a power of ten, so a reader can count between two lines; on a log scale whole
 * powers, and 2 and 5 between them while there is room.
 */

/** 1, 2 or 5 times a power of ten: the smallest such step that cuts `span` into at most `most` parts. */
export function niceStep(span: number, most: number): number {
  if (!(span > 0) || !Number.isFinite(span)) return 1;
  const raw = span / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(raw));
  const part = raw / power;
  return (part <= 1.0000001 ? 1 : part <= 2.0000001 ? 2 : part <= 5.0000001 ? 5 : 10) * power;
}

/** Ticks inside [low, high], both ends included; at most `most` + 1. */
export function linearTicks(low: number, high: number, most: number): number[] {
  if (!(high > low)) return Number.isFinite(low) ? [low] : [];
  const step = niceStep(high - low, most);
  const first = Math.ceil(low / step - 1e-9) + 0;
  const last = Math.floor(high / step + 1e-9);
  const ticks: number[] = [];
  // Multiplying keeps 0.3 from becoming 0.30000000000000004 over many additions.
  for (let i = first; i <= last; i++) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

/** Ticks of a log scale; falls back to linear ones where less than about a decade is shown. `low` must be above 0. */
export function logTicks(low: number, high: number, most: number): number[] {
  if (!(low > 0) || !(high > low)) return [];
  for (const parts of [[1, 2, 5], [1, 3], [1]]) {
    const ticks: number[] = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
      for (const part of parts) {
        const value = Number((part * 10 ** power).toPrecision(3));
        if (value >= low * 0.999999 && value <= high * 1.000001) ticks.push(value);
      }
    if (ticks.length <= most + 1) return ticks.length >= 2 ? ticks : linearTicks(low, high, Math.max(2, most - 1));
  }
  const decades = Math.ceil(Math.log10(high / low));
  const every = Math.ceil(decades / Math.max(1, most));
  const first = Math.ceil(Math.log10(low));
  return Array.from({ length: Math.floor(decades / every) + 1 }, (_, i) => 10 ** (first + i * every)).filter(
    (value) => value <= high,
  );
}

/** All labels of one axis with the same number of decimals: 0.2, 0.4, 1.0. Very small and very large numbers as 5e-5. 0 of an axis of small numbers stays `0`. */
export function tickLabels(ticks: readonly number[]): string[] {
  const largest = Math.max(...ticks.map(Math.abs), 0);
  if (largest > 0 && (largest < 0.01 || largest >= 1e7))
    return ticks.map((tick) =>
      tick === 0
        ? '0'
        : tick
            .toExponential()
            .replace(/^(-?\d(?:\.\d\d?)?)\d*e/, '$1e')
            .replace('+', ''),
    );
  const decimals = Math.max(0, ...ticks.map((tick) => decimalsOf(tick)));
  const capped = Math.min(decimals, 5);
  return ticks.map((tick) => (largest >= 10_000 || decimals === 0 ? grouped(tick) : tick.toFixed(capped)));
}

const decimalsOf = (value: number): number => {
  const text = String(Number(value.toPrecision(6)));
  if (text.includes('e')) return 5;
  return text.split('.')[1]?.length ?? 0;
};

const grouped = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 2 });

/** Steps of a clock axis, in seconds. */
const clockSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400];

/** Ticks of an axis of seconds, at whole seconds, minutes or hours; and their labels: 30 s, 5 min, 1 h 30 m. */
export function timeTicks(low: number, high: number, most: number): { ticks: number[]; labels: string[] } {
  const span = high - low;
  if (!(span > 0)) return { ticks: [], labels: [] };
  const wanted = span / Math.max(1, most);
  const step = clockSteps.find((each) => each >= wanted) ?? Math.ceil(wanted / 86_400) * 86_400;
  if (wanted < 0.5) {
    const ticks = linearTicks(low, high, most);
    return { ticks, labels: tickLabels(ticks).map((label) => `${label} s`) };
  }
  const ticks: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9) + 0; i * step <= high + 1e-9; i++) ticks.push(i * step);
  return { ticks, labels: ticks.map((tick) => clockLabel(tick, step)) };
}

function clockLabel(seconds: number, step: number): string {
  if (seconds === 0) return '0';
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = seconds % 60;
  if (hours > 0) return minutes === 0 ? `${hours} h` : `${hours} h ${String(minutes).padStart(2, '0')} m`;
  if (step < 60 && rest !== 0) return minutes === 0 ? `${rest} s` : `${minutes} m ${String(rest).padStart(2, '0')} s`;
  return `${minutes} min`;
}
