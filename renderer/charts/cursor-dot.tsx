/** The curve's value at the cursor: a dot that moves by itself, without the plot being rendered. */
/* eslint-disable @typescript-eslint/no-non-null-assertion -- indices are within the arrays that they were taken from */
import type { SeriesBuckets } from '../../main/contract/window/runs.ts';
import { bucketAt, useCursor, type Cursor } from './cursor.ts';
import type { PlotScales } from './scales.ts';
import styles from './charts.module.css';

interface CursorDotProps {
  cursor: Cursor;
  curve: SeriesBuckets;
  scales: PlotScales;
  /** Name of the custom property of its colour. */
  colour?: string;
  /** The exponential mean (several runs) or the value itself. */
  value: 'ema' | 'last';
  /** How far past the curve's ends it still counts, in units of x. */
  reach: number;
  label?: (index: number) => string;
}

export function CursorDot({ cursor, curve, scales, colour = '--fg', value, reach, label }: CursorDotProps) {
  const x = useCursor(cursor);
  const index = x === null ? null : bucketAt(curve, x, reach);
  if (index === null) return null;
  const left = scales.x(curve.x[index]!);
  const top = scales.y(curve[value][index]!);
  if (!(left >= 0 && left <= scales.width && top >= 0 && top <= scales.height)) return null;
  return (
    <>
      <span
        className={styles.dot}
        style={{ transform: `translate(${left}px, ${top}px)`, background: `var(${colour})` }}
      />
      {label !== undefined && (
        <span
          className={styles.dotLabel}
          style={
            left > scales.width - 170
              ? { right: scales.width - left + 10, top: Math.min(scales.height - 16, Math.max(2, top - 8)) }
              : { left: left + 10, top: Math.min(scales.height - 16, Math.max(2, top - 8)) }
          }
        >
          {label(index)}
        </span>
      )}
    </>
  );
}
