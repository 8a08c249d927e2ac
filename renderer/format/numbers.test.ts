import { describe, expect, it } from 'vitest';
import {
  formatBytes,
  formatCount,
  formatCounted,
  formatDifference,
  formatError,
  formatGib,
  formatLoss,
  formatLr,
  formatMeasure,
  formatPercent,
  formatShort,
} from './numbers.ts';

describe('numbers', () => {
  it('writes losses with three to four digits', () => {
    expect(
      [0.35412, 1.41163, 0.02271, 12.3456, 0.000931, 0.0000931, 0, 123.45, 0.09949, 0.09951].map(formatLoss),
    ).toEqual(['0.354', '1.412', '0.0227', '12.35', '0.00093', '9.3e-5', '0', '123.5', '0.0995', '0.100']);
  });

  it('says what is missing or not finite, in every form', () => {
    for (const format of [
      formatLoss,
      formatCount,
      formatLr,
      formatMeasure,
      formatPercent,
      formatBytes,
      formatGib,
      formatShort,
    ]) {
      expect(format(null)).toBe('–');
      expect(format(undefined)).toBe('–');
      expect(format(NaN)).toBe('not a number');
      expect(format(Infinity)).toBe('infinite');
      expect(format(-Infinity)).toBe('minus infinite');
    }
  });

  it('gives differences their sign', () => {
    expect([0.04, -0.0021, 0, null].map(formatDifference)).toEqual(['+0.040', '-0.0021', '0', '–']);
    expect([0.0118, null, NaN].map(formatError)).toEqual(['±0.012', '±?', '±?']);
  });

  it('writes counts with commas', () => {
    expect([0, -0, 12345, 1234567, 999.6].map(formatCount)).toEqual(['0', '0', '12,345', '1,234,567', '1,000']);
    expect([formatCounted(1, 'row'), formatCounted(2504, 'row'), formatCounted(0, 'entry', 'entries')]).toEqual([
      '1 row',
      '2,504 rows',
      '0 entries',
    ]);
  });

  it('writes learning rates as people type them', () => {
    expect([1e-4, 5e-5, 3.1623e-5, 0.00015, 0.001, 0.01, 0.1, 0].map(formatLr)).toEqual([
      '1e-4',
      '5e-5',
      '3.16e-5',
      '1.5e-4',
      '1e-3',
      '0.01',
      '0.1',
      '0',
    ]);
  });

  it('writes measures with three digits', () => {
    expect([0.6912, 1.944, 12.34, 1234.5, 0.0123, 0.00012345, 9.999, 1e7].map(formatMeasure)).toEqual([
      '0.69',
      '1.94',
      '12.3',
      '1,235',
      '0.0123',
      '1.23e-4',
      '10.0',
      '1e7',
    ]);
  });

  it('writes shares, sizes and memory with their unit', () => {
    expect([0.62, 1, 0, 0.0004, -0.0001].map((share) => formatPercent(share))).toEqual([
      '62.0 %',
      '100.0 %',
      '0.0 %',
      '0.0 %',
      '0.0 %',
    ]);
    expect(formatPercent(0.62, 0)).toBe('62 %');
    expect([0, 999, 1000, 9_310_000_000, 84_000_000, 1.2e12, 999_600].map(formatBytes)).toEqual([
      '0 B',
      '999 B',
      '1.0 kB',
      '9.3 GB',
      '84 MB',
      '1.2 TB',
      '1.0 MB',
    ]);
    expect([44.83, 0.05, 0].map(formatGib)).toEqual(['44.8 GiB', '0.05 GiB', '0.00 GiB']);
    expect([84_900_000, 404_188, 2731, 1.5e12, 999_700].map(formatShort)).toEqual([
      '84.9 M',
      '404 k',
      '2,731',
      '1500 G',
      '1.0 M',
    ]);
  });
});
