/** One quantity of several runs over a shared x axis: lines only, each in its run's hue and dash, and one card at the cursor sorted by value. */
import { useCallback, useMemo, useRef } from 'react';
import type { Series } from '../../../main/contract/window/runs.ts';
import { XLabels, YLabels } from '../../charts/axis-labels.tsx';
import { ChartArea } from '../../charts/chart-area.tsx';
import type { ChartView } from '../../charts/chart-view.ts';
import { colour } from '../../charts/colours.ts';
import { CursorDot } from '../../charts/cursor-dot.tsx';
import { bucketAt, useCursor, type Cursor } from '../../charts/cursor.ts';
import { yDomain, type Domain } from '../../charts/domain.ts';
import { dashOf, hueOf, type Slot } from '../../charts/identity.ts';
import { paintLine } from '../../charts/paint.ts';
import { Plot } from '../../charts/plot.tsx';
import type { PlotScales } from '../../charts/scales.ts';
import { linearTicks, logTicks, tickLabels } from '../../charts/ticks.ts';
import { useSize } from '../../charts/use-size.ts';
import { useStable } from '../../charts/use-stable.ts';
import { xAxis } from '../../charts/x-axis.ts';
import { formatCount } from '../../format/numbers.ts';
import { formatDuration } from '../../format/times.ts';
import { Swatch } from './swatch.tsx';
import styles from './compare.module.css';

export interface OverlayRun {
  id: string;
  name: string;
  slot: Slot;
  highlighted: boolean;
  curve: Series;
}

interface OverlayProps {
  title: string;
  note: string;
  runs: readonly OverlayRun[];
  x: Domain;
  view: ChartView;
  change: (change: Partial<ChartView>, options?: { push?: boolean }) => void;
  cursor: Cursor;
  zero: boolean;
  format: (value: number) => string;
  dim: boolean;
  /** Instead of curves. */
  message: string | null;
  onHighlight: (id: string) => void;
}

export function Overlay(props: OverlayProps) {
  const { title, note, runs, x, view, change, cursor, zero, format, dim, message } = props;
  const box = useRef<HTMLDivElement>(null);
  const { width } = useSize(box);
  const shown = runs.filter((run) => run.curve.x.length > 0);
  const curves = useMemo(() => runs.map((run) => run.curve), [runs]);
  const measured = yDomain(curves, { clip: view.clip, log: view.log, band: false, zero, from: x[0], to: x[1] });
  const y = useStable<Domain>(measured ?? [view.log ? 0.1 : 0, 1]);
  const ticks = useMemo(() => (view.log ? logTicks(y[0], y[1], 6) : linearTicks(y[0], y[1], 7)), [view.log, y]);
  const axis = useMemo(() => xAxis(view.x, x, Math.max(2, Math.floor(width / 90)), true), [view.x, x, width]);
  const longest = shown.reduce<OverlayRun | null>(
    (a, b) => (a === null || b.curve.x.length > a.curve.x.length ? b : a),
    null,
  );
  const reach = (x[1] - x[0]) / 150;
  const paint = useCallback(
    (pen: CanvasRenderingContext2D, scales: PlotScales) => {
      for (const run of [...runs].sort((a, b) => Number(a.highlighted) - Number(b.highlighted)))
        paintLine(pen, scales, run.curve, {
          colour: colour(hueOf(run.slot)),
          width: run.highlighted ? 2.6 : 1.5,
          dash: dashOf(run.slot),
          alpha: dim ? 0.45 : 0.95,
        });
    },
    [runs, dim],
  );
  const share = (value: number): number =>
    view.log ? 1 - Math.log(value / y[0]) / Math.log(y[1] / y[0]) : 1 - (value - y[0]) / (y[1] - y[0]);
  const say = useCallback(
    (at: number) =>
      `${view.x} ${formatCount(at)}: ${runs.map((run) => `${run.name} ${valueAt(run, at, reach, format)}`).join(', ')}`,
    [view.x, runs, reach, format],
  );
  return (
    <section className={styles.figure} aria-label={title}>
      <h2 className={styles.title}>
        {title} <span className="third">{note}</span>
      </h2>
      <div ref={box} className={styles.chart}>
        <ChartArea
          wide
          x={x}
          cursor={cursor}
          stops={longest?.curve.x ?? []}
          say={say}
          onZoom={(from, to) => change({ from, to }, { push: true })}
          onReset={() => change({ from: null, to: null }, { push: true })}
        >
          <div className={styles.plotLine}>
            <YLabels ticks={ticks} labels={tickLabels(ticks)} place={share} />
            <Plot
              x={x}
              y={y}
              yTicks={ticks}
              xTicks={axis.ticks}
              log={view.log}
              paint={paint}
              label={`${title}: ${runs.map((run) => run.name).join(', ')}`}
            >
              {(scales) => (
                <>
                  {shown.map((run) => (
                    <CursorDot
                      key={run.id}
                      cursor={cursor}
                      curve={run.curve}
                      scales={scales}
                      colour={hueOf(run.slot)}
                      value="ema"
                      reach={reach}
                    />
                  ))}
                  <Card cursor={cursor} runs={runs} scales={scales} view={view} reach={reach} format={format} />
                  {message !== null && <div className={styles.message}>{message}</div>}
                </>
              )}
            </Plot>
          </div>
          <XLabels wide domain={x} ticks={axis.ticks} labels={axis.labels} unit={axis.unit} />
        </ChartArea>
      </div>
    </section>
  );
}

function valueAt(run: OverlayRun, x: number, reach: number, format: (value: number) => string): string {
  const index = bucketAt(run.curve, x, reach);
  if (index !== null) return format(run.curve.ema[index] ?? Number.NaN);
  return run.curve.x.length > 0 && x > (run.curve.x[run.curve.x.length - 1] ?? 0) ? 'ended' : '–';
}

interface CardProps {
  cursor: Cursor;
  runs: readonly OverlayRun[];
  scales: PlotScales;
  view: ChartView;
  reach: number;
  format: (value: number) => string;
}

/** Values of all runs at the cursor, the largest on top; runs without a value after them. */
function Card({ cursor, runs, scales, view, reach, format }: CardProps) {
  const x = useCursor(cursor);
  if (x === null) return null;
  const left = scales.x(x);
  if (left < 0 || left > scales.width) return null;
  const lines = runs
    .map((run) => {
      const index = bucketAt(run.curve, x, reach);
      return { run, value: index === null ? -Infinity : (run.curve.ema[index] ?? -Infinity) };
    })
    .sort((a, b) => b.value - a.value);
  const right = left > scales.width * 0.55;
  return (
    <div className={styles.card} style={right ? { right: scales.width - left + 10 } : { left: left + 10 }}>
      <div className="third">{view.x === 'time' ? formatDuration(x) : `${formatCount(x)} ${view.x}`}</div>
      {lines.map(({ run }) => {
        const text = valueAt(run, x, reach, format);
        return (
          <div key={run.id} className={styles.cardLine}>
            <Swatch slot={run.slot} width={14} />
            <span className="ellipsis">{run.name}</span>
            <b className={text === 'ended' || text === '–' ? 'third' : undefined}>{text}</b>
          </div>
        );
      })}
    </div>
  );
}
