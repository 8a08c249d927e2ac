/**
 * How times are written, in the zone of the window: clocks have 24 hours, minutes go up to two hours, and another day or year is said. The main process counts
 * seconds since 1970, and so do these.
 */
import { missing } from './numbers.ts';

type Seconds = number | null | undefined;

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;
const two = (value: number): string => String(value).padStart(2, '0');

export const nowSeconds = (): number => Date.now() / 1000;

/** 14:49, or 14:49:08 with `seconds`. */
export function formatClock(time: Seconds, options: { seconds?: boolean } = {}): string {
  if (time === null || time === undefined || !Number.isFinite(time)) return missing;
  const date = new Date(time * 1000);
  return `${two(date.getHours())}:${two(date.getMinutes())}${options.seconds ? `:${two(date.getSeconds())}` : ''}`;
}

/** 12:27 today, "27 Nov 22:40" on another day, "27 Nov 2025 22:40" in another year. `now` in seconds since 1970. */
export function formatMoment(time: Seconds, now: number = nowSeconds()): string {
  if (time === null || time === undefined || !Number.isFinite(time)) return missing;
  const date = new Date(time * 1000);
  const today = new Date(now * 1000);
  const clock = formatClock(time);
  if (date.toDateString() === today.toDateString()) return clock;
  const year = date.getFullYear() === today.getFullYear() ? '' : ` ${date.getFullYear()}`;
  return `${date.getDate()} ${months[date.getMonth()] ?? ''}${year} ${clock}`;
}

/** "0.3 s", "12 s", "73 min" below two hours, then "2 h 22 m", and days from three on: "3 d 4 h". */
export function formatDuration(seconds: Seconds): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return missing;
  const length = Math.max(0, seconds);
  if (length < 9.95) return length === 0 ? '0 s' : `${length.toFixed(1).replace(/\.0$/, '')} s`;
  if (length < 89.5) return `${Math.round(length)} s`;
  const minutes = Math.round(length / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 72) return `${hours} h ${two(minutes % 60)} m`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** "12 s ago", "3 min ago"; "now" below two seconds, and for what lies ahead of this clock. */
export function formatAgo(seconds: Seconds): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return missing;
  return seconds < 2 ? 'now' : `${formatDuration(Math.round(seconds))} ago`;
}
