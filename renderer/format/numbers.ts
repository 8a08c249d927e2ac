/**
 * How numbers are written: the same value reads the same on every screen. Missing (null, undefined) is an en dash, zero is 0, and what is not finite is said
 * in words, since "NaN" in a table reads like a name. All answers are plain text, units included where the name says so.
 */

export const missing = '–';

type Value = number | null | undefined;

/** Words for what cannot be written as a number; null: it can. */
function unwritable(value: Value): string | null {
  if (value === null || value === undefined) return missing;
  if (Number.isNaN(value)) return 'not a number';
  if (!Number.isFinite(value)) return value > 0 ? 'infinite' : 'minus infinite';
  return null;
}

/** 0, and no "-0.000" for what rounds to zero. */
const fixed = (value: number, digits: number): string => value.toFixed(digits).replace(/^-(?=0(\.0*)?$)/, '');

/** `9.3e-5`: at most `significant` digits, without trailing zeros. */
function exponent(value: number, significant: number): string {
  const [mantissa = '', power = ''] = value.toExponential(significant - 1).split('e');
  const short = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa;
  return `${short}e${power.replace('+', '')}`;
}

/** CE, KL, held-out means, in nats per token: 0.354, 1.412, 0.0227, 12.35; below 0.0001 as 9.3e-5. */
export function formatLoss(value: Value): string {
  const words = unwritable(value);
  if (words !== null || value === null || value === undefined) return words ?? missing;
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size < 0.0001) return exponent(value, 2);
  if (size < 0.001) return fixed(value, 5);
  if (size < 0.0995) return fixed(value, 4);
  if (size < 10) return fixed(value, 3);
  if (size < 100) return fixed(value, 2);
  if (size < 10_000) return fixed(value, 1);
  return exponent(value, 3);
}

/** A difference of losses, with its sign: +0.040, -0.0021. */
export function formatDifference(value: Value): string {
  const words = unwritable(value);
  if (words !== null || value === null || value === undefined) return words ?? missing;
  const size = Math.abs(value);
  const text = size >= 0.00995 && size < 10 ? fixed(value, 3) : formatLoss(value);
  return value > 0 ? `+${text}` : text;
}

/** The standard error after a mean: ±0.012; ±? where there is none. */
export function formatError(value: Value): string {
  return value === null || value === undefined || !Number.isFinite(value) ? '±?' : `±${fixed(value, 3)}`;
}

/** 12,345. Not whole numbers are rounded. */
export function formatCount(value: Value): string {
  const words = unwritable(value);
  if (words !== null || value === null || value === undefined) return words ?? missing;
  return Math.round(value).toLocaleString('en-US').replace(/^-0$/, '0');
}

/** Count and noun: "1 row", "2,504 rows". `plural` where an s is not enough. */
export const formatCounted = (value: number, noun: string, plural = `${noun}s`): string =>
  `${formatCount(value)} ${value === 1 ? noun : plural}`;

/** A learning rate: 1e-4, 3.16e-5, 0.01. At most three digits. */
export function formatLr(value: Value): string {
  const words = unwritable(value);
  if (words !== null || value === null || value === undefined) return words ?? missing;
  if (value === 0) return '0';
  return Math.abs(value) < 0.01 || Math.abs(value) >= 1e6 ? exponent(value, 3) : String(Number(value.toPrecision(3)));
}

/** Any other measure (grad-norm, rows/s, seconds a row): three digits, 0.69, 1.94, 12.3, 1,234. */
export function formatMeasure(value: Value): string {
  const words = unwritable(value);
  if (words !== null || value === null || value === undefined) return words ?? missing;
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size < 0.001) return exponent(value, 3);
  if (size < 0.0995) return fixed(value, 4);
  if (size < 9.995) return fixed(value, 2);
  if (size < 99.95) return fixed(value, 1);
  return size < 1e6 ? formatCount(value) : exponent(value, 3);
}

/** A share 0 to 1: "62.0 %". */
export function formatPercent(share: Value, digits = 1): string {
  const words = unwritable(share);
  if (words !== null || share === null || share === undefined) return words ?? missing;
  return `${fixed(share * 100, digits)} %`;
}

const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** Sizes of files and disks, in powers of 1000 as file managers and disks count: "84 MB", "9.3 GB". */
export function formatBytes(bytes: Value): string {
  const words = unwritable(bytes);
  if (words !== null || bytes === null || bytes === undefined) return words ?? missing;
  let size = bytes;
  let unit = 0;
  while (Math.abs(size) >= 999.5 && unit < byteUnits.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${unit > 0 && Math.abs(size) < 9.95 ? fixed(size, 1) : fixed(size, 0)} ${byteUnits[unit] ?? 'B'}`;
}

/** Memory of a device, in powers of 1024 as the trainer counts: "44.8 GiB". */
export function formatGib(gib: Value): string {
  const words = unwritable(gib);
  if (words !== null || gib === null || gib === undefined) return words ?? missing;
  return `${fixed(gib, Math.abs(gib) < 0.1 ? 2 : 1)} GiB`;
}

/** Large counts in a word: "84.9 M" parameters, "404 k" tokens. */
export function formatShort(value: Value): string {
  const words = unwritable(value);
  if (words !== null || value === null || value === undefined) return words ?? missing;
  const size = Math.abs(value);
  if (size < 9_999.5) return formatCount(value);
  for (const [unit, by] of [
    ['k', 1e3],
    ['M', 1e6],
    ['G', 1e9],
  ] as const)
    if (size / by < 999.5 || unit === 'G') return `${fixed(value / by, size / by < 99.95 ? 1 : 0)} ${unit}`;
  return missing;
}
