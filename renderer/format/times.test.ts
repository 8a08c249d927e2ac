import { describe, expect, it } from 'vitest';
import { formatAgo, formatClock, formatDuration, formatMoment } from './times.ts';

/** Local, so that the tests hold in every zone. */
const at = (year: number, month: number, day: number, hour: number, minute: number, second = 0): number =>
  new Date(year, month - 1, day, hour, minute, second).getTime() / 1000;

describe('times', () => {
  it('writes a clock of 24 hours', () => {
    expect(formatClock(at(2026, 11, 30, 9, 5, 7))).toBe('09:05');
    expect(formatClock(at(2026, 11, 30, 14, 49, 8), { seconds: true })).toBe('14:49:08');
    expect(formatClock(null)).toBe('–');
  });

  it('says the day and the year only where they differ', () => {
    const now = at(2026, 11, 30, 14, 49);
    expect(formatMoment(at(2026, 11, 30, 0, 1), now)).toBe('00:01');
    expect(formatMoment(at(2026, 11, 29, 23, 59), now)).toBe('29 Nov 23:59');
    expect(formatMoment(at(2025, 11, 30, 14, 49), now)).toBe('30 Nov 2025 14:49');
    expect(formatMoment(undefined, now)).toBe('–');
  });

  it('writes durations in minutes below two hours', () => {
    expect([0, 0.34, 3, 12.4, 89, 90, 73 * 60, 7169, 7170, 8520, 3 * 86400 + 4 * 3600].map(formatDuration)).toEqual([
      '0 s',
      '0.3 s',
      '3 s',
      '12 s',
      '89 s',
      '2 min',
      '73 min',
      '119 min',
      '2 h 00 m',
      '2 h 22 m',
      '3 d 4 h',
    ]);
    expect([null, NaN, Infinity, -5].map(formatDuration)).toEqual(['–', '–', '–', '0 s']);
  });

  it('says how long ago', () => {
    expect([-3, 1, 12.3, 190, null].map(formatAgo)).toEqual(['now', 'now', '12 s ago', '3 min ago', '–']);
  });
});
