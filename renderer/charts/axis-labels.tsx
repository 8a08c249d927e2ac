/** Labels of axes as HTML, so that text never scales with a plot. The unit stands once, at the end of the x axis. */
import { classes } from '../components/classes.ts';
import type { Domain } from './domain.ts';
import styles from './charts.module.css';

interface YLabelsProps {
  ticks: readonly number[];
  labels: readonly string[];
  /** 0 (upper edge) to 1. */
  place: (value: number) => number;
}

export function YLabels({ ticks, labels, place }: YLabelsProps) {
  return (
    <div className={styles.yLabels} aria-hidden="true">
      {ticks.map((tick, i) => (
        <span key={tick} style={{ top: `clamp(7px, ${(place(tick) * 100).toFixed(2)}%, calc(100% - 7px))` }}>
          {labels[i]}
        </span>
      ))}
    </div>
  );
}

interface XLabelsProps {
  domain: Domain;
  ticks: readonly number[];
  labels: readonly string[];
  unit: string;
  wide?: boolean;
}

export function XLabels({ domain, ticks, labels, unit, wide = false }: XLabelsProps) {
  const share = (value: number): number => (value - domain[0]) / (domain[1] - domain[0]);
  return (
    <div className={classes(styles.xAxis, wide && styles.wide)} aria-hidden="true">
      <div />
      <div className={styles.xLabels}>
        {ticks.map((tick, i) =>
          // The unit needs the end of the line.
          share(tick) > 0.915 ? null : (
            <span
              key={tick}
              className={classes(share(tick) < 0.02 && styles.first)}
              style={{ left: `${(share(tick) * 100).toFixed(3)}%` }}
            >
              {labels[i]}
            </span>
          ),
        )}
        <span className={styles.xUnit}>{unit}</span>
      </div>
    </div>
  );
}
