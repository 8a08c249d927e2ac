/**
 * One measured quantity of a run over the shared x axis: labels, plot, and a readout with the last value and the value at the cursor. The line is the debiased
 * exponential mean, the band goes from the smallest to the largest step of each bucket.
 */
/* eslint-disable @typescript-eslint/no-non-null-assertion -- indices are within the arrays that they were taken from */
import { memo, useCallback, useMemo, type ReactNode } from 'react';
import type { Series, SeriesBuckets } from '../../main/contract/window/runs.ts';
import { classes } from '../components/classes.ts';
import { YLabels } from './axis-labels.tsx';
import { colour } from './colours.ts';
import { CursorDot } from './cursor-dot.tsx';
import { bucketAt, useCursor, type Cursor } from './cursor.ts';
import { yDomain, type Domain } from './domain.ts';
import {
  paintBand,
  paintHatch,
  paintLevel,
  paintLine,
  paintPolyline,
  paintSquare,
  paintUpright,
  type PointMark,
} from './paint.ts';
import { Plot } from './plot.tsx';
import type { PlotScales } from './scales.ts';
import { spikesOver } from './spikes.ts';
import { linearTicks, logTicks, tickLabels } from './ticks.ts';
import { useStable } from './use-stable.ts';
import styles from './charts.module.css';

/** What stands in the plot of every trace alike. All in units of x. */
export interface TraceMarks {
  /** Solid lines: where epochs begin. Dotted: saved adapters. */
  epochs: readonly number[];
  saved: readonly number[];
  /** Where a resume replaced what was there: hatched. */
  replaced: readonly (readonly [from: number, to: number])[];
  /** From here on nothing has been heard: hatched to the right edge. */
  unheard: number | null;
  /** The run failed here. */
  failedAt: number | null;
}

export interface TraceProps {
  name: string;
  unit: string;
  /** Share of the height. */
  flex: number;
  curve: Series | null;
  x: Domain;
  marks: TraceMarks;
  cursor: Cursor;
  format: (value: number) => string;
  log: boolean;
  clip: boolean;
  zero: boolean;
  /** Only a line, thin: it has no noise. */
  plain?: boolean;
  /** Dashed levels: where gradients are clipped. */
  levels?: readonly number[];
  points?: readonly PointMark[];
  caption?: string;
  captionSide?: 'left' | 'right';
  facts?: ReactNode;
  /** Instead of a curve: before the first step, not measured, could not be read. */
  message?: ReactNode;
  /** The curve is of before: another range is being read, or the run cannot be reached. */
  dim?: boolean;
  /** The readout is of before. */
  old?: boolean;
  small?: boolean;
  cursorLabel?: (curve: SeriesBuckets, index: number) => string;
  /** How far past its end a value still counts at the cursor. */
  reach: number;
}

const emptyTicks = [0, 0.5, 1];
const noTicks: readonly number[] = [];
const noPoints: readonly PointMark[] = [];
const noLevels: readonly number[] = [];

export const Trace = memo(function Trace(props: TraceProps) {
  const {
    name,
    unit,
    curve,
    x,
    marks,
    cursor,
    format,
    log,
    clip,
    zero,
    plain = false,
    caption,
    message,
    small,
  } = props;
  const { points = noPoints, levels = noLevels, dim = false, old = false, reach } = props;
  const measured = useMemo(
    () =>
      curve === null
        ? null
        : yDomain([curve], {
            clip,
            log,
            band: !plain,
            zero,
            also: [...levels, ...points.map((point) => point.y)],
            from: x[0],
            to: x[1],
          }),
    [curve, clip, log, plain, zero, levels, points, x],
  );
  const y = useStable<Domain>(measured ?? (log ? [0.1, 1] : [0, 1]));
  const nothing = measured === null;
  // Depends on the rounded axis, not on the values: the grid is rendered again only when the axis moves.
  const ticks = useMemo(() => {
    if (nothing) return emptyTicks;
    const most = small ? 3 : props.flex >= 20 ? 9 : 4;
    return log ? logTicks(y[0], y[1], most) : linearTicks(y[0], y[1], most);
  }, [nothing, log, y, small, props.flex]);
  const labels = useMemo(() => tickLabels(ticks), [ticks]);

  const paint = useCallback(
    (pen: CanvasRenderingContext2D, scales: PlotScales) => {
      const faint = dim ? 0.45 : 1;
      for (const [from, to] of marks.replaced)
        paintHatch(pen, scales, scales.x(from), scales.x(to), colour('--line-2'));
      if (marks.unheard !== null) paintHatch(pen, scales, scales.x(marks.unheard), scales.width, colour('--line-2'));
      for (const saved of marks.saved) paintUpright(pen, scales, saved, colour('--line-2'), [1, 2]);
      for (const epoch of marks.epochs) paintUpright(pen, scales, epoch, colour('--line-2'));
      if (curve !== null) {
        if (!plain) paintBand(pen, scales, curve, colour('--fg-3'), faint);
        for (const old of curve.replaced)
          paintPolyline(pen, scales, old.x, old.y, { colour: colour('--fg-3'), width: 1, dash: [2, 2], alpha: 1 });
        for (const level of levels) paintLevel(pen, scales, level, colour('--fg-3'), [4, 3]);
        paintLine(pen, scales, curve, {
          colour: colour('--fg'),
          width: plain ? 1 : 1.6,
          dash: [],
          alpha: plain ? 0.9 * faint : faint,
        });
      }
      const square = { colour: colour('--fg'), ground: colour('--bg-1'), hollow: true, caps: false };
      for (const point of points) paintSquare(pen, scales, point, square);
      if (marks.failedAt !== null) paintUpright(pen, scales, marks.failedAt, colour('--bad'));
    },
    [curve, marks, points, levels, plain, dim],
  );

  const spikes = (scales: PlotScales): ReactNode => {
    if (curve === null || plain || !clip) return null;
    const perPixel = (x[1] - x[0]) / Math.max(1, scales.width);
    return spikesOver(curve, x, y[1], perPixel * 64).map((spike) => {
      const left = scales.x(spike.x);
      const text = format(spike.value);
      return (
        <span
          key={spike.step}
          className={styles.spike}
          style={left > scales.width - 50 ? { right: scales.width - left - 5 } : { left: Math.max(1, left - 5) }}
          title={`over the scale: ${text} at step ${(spike.step + 1).toLocaleString('en-US')}${spike.count > 1 ? `, the highest of ${spike.count}` : ''}`}
        >
          ▴<span> {text}</span>
        </span>
      );
    });
  };

  const last = curve !== null && curve.x.length > 0 ? curve.ema[curve.ema.length - 1]! : null;
  const share = (value: number): number =>
    log
      ? 1 - (Math.log(value) - Math.log(y[0])) / (Math.log(y[1]) - Math.log(y[0]))
      : 1 - (value - y[0]) / (y[1] - y[0]);
  const said = last === null ? `${name}: no value yet` : `${name}, last ${format(last)} ${unit}`;
  return (
    <div className={styles.trace} style={{ flex: `${props.flex} 1 0` }}>
      <YLabels ticks={ticks} labels={labels} place={measured === null ? (value) => 1 - value : share} />
      <Plot x={x} y={y} yTicks={nothing && log ? noTicks : ticks} log={log} paint={paint} label={said}>
        {(scales) => (
          <>
            {caption !== undefined && message === undefined && (
              <span
                className={classes(
                  styles.label,
                  props.captionSide === 'right' ? styles.captionRight : styles.captionLeft,
                )}
              >
                {caption}
              </span>
            )}
            {spikes(scales)}
            {curve !== null && (
              <CursorDot
                cursor={cursor}
                curve={curve}
                scales={scales}
                value="last"
                reach={reach}
                {...(props.cursorLabel ? { label: (index: number) => props.cursorLabel!(curve, index) } : {})}
              />
            )}
            {message !== undefined && <div className={styles.message}>{message}</div>}
          </>
        )}
      </Plot>
      <div className={classes(styles.readout, small && styles.low, old && styles.old)}>
        <div className={styles.name}>
          {name}
          <span>{unit}</span>
        </div>
        <div className={styles.value}>{last === null ? '–' : format(last)}</div>
        {props.facts}
        {curve !== null && (
          <AtCursor cursor={cursor} curve={curve} format={format} reach={reach} brief={small ?? false} />
        )}
      </div>
    </div>
  );
});

/** A line of the readout. */
export function Fact({ children }: { children: ReactNode }) {
  return <div className={styles.fact}>{children}</div>;
}

/** Words in the middle of a plot that has no curve. */
export function PlotWords({ lines, bad = false }: { lines: readonly ReactNode[]; bad?: boolean }) {
  return lines.map((line, i) => (
    <span key={i} className={classes(bad && i === 0 && styles.bad)}>
      {line}
    </span>
  ));
}

interface AtCursorProps {
  cursor: Cursor;
  curve: SeriesBuckets;
  format: (value: number) => string;
  reach: number;
  brief: boolean;
}

function AtCursor({ cursor, curve, format, reach, brief }: AtCursorProps) {
  const x = useCursor(cursor);
  if (x === null) return null;
  const index = bucketAt(curve, x, reach);
  if (index === null) return <div className={classes(styles.fact, styles.at)}>nothing at the cursor</div>;
  const [low, high] = [curve.low[index]!, curve.high[index]!];
  return (
    <>
      <div className={classes(styles.fact, styles.at)}>
        at cursor <b>{format(curve.last[index]!)}</b>
      </div>
      {!brief && low < high && (
        <div className={styles.fact} title="smallest and largest step of the bucket">
          {format(low)} to {format(high)}
        </div>
      )}
    </>
  );
}
