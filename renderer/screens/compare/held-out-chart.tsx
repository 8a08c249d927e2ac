/** Held-out CE by checkpoint, over one row set only; bars are 95 % (two standard errors). */
import { useCallback, useMemo, useRef } from 'react';
import type { RunDetail, Series } from '../../../main/contract/window/runs.ts';
import { XLabels, YLabels } from '../../charts/axis-labels.tsx';
import type { ChartView } from '../../charts/chart-view.ts';
import { colour } from '../../charts/colours.ts';
import type { Domain } from '../../charts/domain.ts';
import { dashOf, hueOf, type Slot } from '../../charts/identity.ts';
import { paintPolyline, paintSquare, type PointMark } from '../../charts/paint.ts';
import { Plot } from '../../charts/plot.tsx';
import type { PlotScales } from '../../charts/scales.ts';
import { linearTicks, logTicks, niceStep, tickLabels } from '../../charts/ticks.ts';
import { useSize } from '../../charts/use-size.ts';
import { useStable } from '../../charts/use-stable.ts';
import { xAxis } from '../../charts/x-axis.ts';
import { formatCount } from '../../format/numbers.ts';
import { placeOn } from '../run/run-marks.ts';
import { scoredOn, type SharedSet } from './held-out.ts';
import styles from './compare.module.css';

export interface HeldOutRun {
  detail: RunDetail;
  slot: Slot;
  highlighted: boolean;
  /** Maps steps to x. */
  curve: Series | null;
}

interface HeldOutChartProps {
  runs: readonly HeldOutRun[];
  set: SharedSet | null;
  x: Domain;
  view: ChartView;
}

export function HeldOutChart({ runs, set, x, view }: HeldOutChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const { width } = useSize(box);
  const points = useMemo(
    () =>
      runs.map((run) => ({
        ...run,
        marks: scoredOn(run.detail, set).flatMap((each): PointMark[] => {
          const at = placeOn(view.x, run.curve, each);
          return at === null || each.mean === null ? [] : [{ x: at, y: each.mean, error: 2 * (each.stderr ?? 0) }];
        }),
      })),
    [runs, set, view.x],
  );
  const y = useStable<Domain>(
    heldOutDomain(
      points.flatMap((run) => run.marks),
      view,
      x,
    ),
  );
  const ticks = useMemo(() => (view.log ? logTicks(y[0], y[1], 6) : linearTicks(y[0], y[1], 7)), [view.log, y]);
  const axis = useMemo(() => xAxis(view.x, x, Math.max(2, Math.floor(width / 90)), true), [view.x, x, width]);
  const paint = useCallback(
    (pen: CanvasRenderingContext2D, scales: PlotScales) => {
      for (const run of points) {
        const hue = colour(hueOf(run.slot));
        paintPolyline(
          pen,
          scales,
          run.marks.map((mark) => mark.x),
          run.marks.map((mark) => mark.y),
          {
            colour: hue,
            width: run.highlighted ? 2 : 1.2,
            dash: dashOf(run.slot),
            alpha: 0.9,
          },
        );
        for (const mark of run.marks)
          paintSquare(pen, scales, mark, { colour: hue, ground: colour('--bg-1'), hollow: false, caps: true });
      }
    },
    [points],
  );
  const share = (value: number): number =>
    view.log ? 1 - Math.log(value / y[0]) / Math.log(y[1] / y[0]) : 1 - (value - y[0]) / (y[1] - y[0]);
  const none = points.every((run) => run.marks.length === 0);
  return (
    <section className={styles.figure} aria-label="Held-out CE">
      <h2 className={styles.title}>
        Held-out CE{' '}
        <span className="third">
          {set === null ? (
            'not scored'
          ) : (
            <>
              by checkpoint, bar 95 % (2 SE), n {formatCount(set.n)}, set{' '}
              <span className="mono-small">{set.hash.slice(0, 4)}</span>
            </>
          )}
        </span>
      </h2>
      <div ref={box} className={styles.chart}>
        <div className={styles.plotLine}>
          <YLabels ticks={none ? [] : ticks} labels={tickLabels(ticks)} place={share} />
          <Plot
            x={x}
            y={y}
            yTicks={ticks}
            xTicks={axis.ticks}
            log={view.log}
            paint={paint}
            label={
              none
                ? 'Held-out CE: nothing scored'
                : `Held-out CE by checkpoint of ${points.map((run) => run.detail.name).join(', ')}`
            }
          >
            {() =>
              none && (
                <div className={styles.message}>
                  {set === null
                    ? 'None of these runs has been scored on held-out rows.'
                    : 'No scored checkpoint stands in this range.'}
                </div>
              )
            }
          </Plot>
        </div>
        <XLabels wide domain={x} ticks={axis.ticks} labels={axis.labels} unit={axis.unit} />
      </div>
    </section>
  );
}

/** Late points decide, as in the curves: the base model's 1.4 must not press 0.38 and 0.39 together. */
function heldOutDomain(marks: readonly PointMark[], view: ChartView, x: Domain): Domain {
  const inside = marks.filter((mark) => mark.x >= x[0] && mark.x <= x[1] && Number.isFinite(mark.y));
  if (inside.length === 0) return [view.log ? 0.1 : 0, 1];
  const late = view.clip ? inside.filter((mark) => mark.x > 0) : inside;
  const use = late.length > 0 ? late : inside;
  const low = Math.min(...use.map((mark) => mark.y - mark.error));
  const high = Math.max(...use.map((mark) => mark.y + mark.error));
  if (view.log)
    return [Math.max(1e-6, Math.min(low > 0 ? low : Infinity, ...use.map((mark) => mark.y)) * 0.92), high * 1.08];
  const unit = niceStep(Math.max(high - low, 1e-9), 6) / 2;
  const bottom = Math.floor((low - unit * 0.2) / unit) * unit;
  return [Number(bottom.toPrecision(9)), Number((Math.ceil((high + unit * 0.2) / unit) * unit).toPrecision(9))];
}
