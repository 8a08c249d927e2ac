/** How far something is, 0 to 1; null: at work, without a known end. The words beside it say the rest. */
import { classes } from './classes.ts';
import styles from './progress-bar.module.css';

interface ProgressBarProps {
  value: number | null;
  tone?: 'plain' | 'run' | 'bad' | undefined;
  /** What makes progress, for those who do not see the bar. */
  label?: string | undefined;
  /** Pixels; 4 by default. */
  height?: number | undefined;
  /** Positions 0 to 1 of thin lines across it (epochs). */
  marks?: readonly number[] | undefined;
}

export function ProgressBar({ value, tone = 'plain', label = 'Progress', height = 4, marks = [] }: ProgressBarProps) {
  const share = value === null || Number.isNaN(value) ? null : Math.min(1, Math.max(0, value));
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={share === null ? undefined : Math.round(share * 100)}
      className={styles.track}
      style={{ height }}
    >
      <span
        className={classes(styles.done, styles[tone], share === null && styles.unknown)}
        style={share === null ? undefined : { width: `${share * 100}%` }}
      />
      {marks.map((mark) => (
        <span key={mark} className={styles.mark} style={{ left: `${mark * 100}%` }} />
      ))}
    </div>
  );
}
