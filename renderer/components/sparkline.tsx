/** The course of a run in one line of a table: no axis, no scale of its own but its smallest and largest value. Values that are not finite are gaps. */
import { classes } from './classes.ts';
import styles from './sparkline.module.css';

/** Path in a box of 100 x 20, one unit away from its edges. */
export function sparklinePath(values: readonly number[]): string {
  const finite = values.filter(Number.isFinite);
  if (finite.length < 2) return '';
  const low = Math.min(...finite);
  const span = Math.max(...finite) - low;
  let pen = 'M';
  return values
    .map((value, index) => {
      if (!Number.isFinite(value)) {
        pen = 'M';
        return '';
      }
      const x = (index / (values.length - 1)) * 100;
      const y = span === 0 ? 10 : 19 - ((value - low) / span) * 18;
      const point = `${pen}${x.toFixed(1)} ${y.toFixed(1)}`;
      pen = 'L';
      return point;
    })
    .join('');
}

interface SparklineProps {
  values: readonly number[];
  tone?: 'plain' | 'bad' | undefined;
  width?: number | undefined;
}

export function Sparkline({ values, tone = 'plain', width = 84 }: SparklineProps) {
  return (
    <svg
      className={classes(styles.spark, tone === 'bad' && styles.bad)}
      style={{ width }}
      viewBox="0 0 100 20"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={sparklinePath(values)} />
    </svg>
  );
}
