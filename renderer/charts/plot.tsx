/**
 * A plot: recharts makes scales and grid, one canvas over it takes the curves, labels are HTML. Measured: curves as recharts' own lines cost 25 to 40 ms an update
 * at 12,000 vertices and drop frames under a moving cursor; a run page has about 22,000 (five traces, band and line). With a canvas the grid is rendered again only
 * when an axis or the size changes, and a new step is a repaint of under a millisecond.
 *
 * An empty canvas is quick too: both axes therefore get explicit domains, and the scales come out of recharts through a probe inside of the chart.
 */
import { memo, useCallback, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { CartesianGrid, Line, LineChart, useXAxisScale, useYAxisScale, XAxis, YAxis } from 'recharts';
import { useThemeGeneration } from './colours.ts';
import type { Domain } from './domain.ts';
import { linearMap, logMap, type PlotScales } from './scales.ts';
import { usePixelRatio, useSize } from './use-size.ts';
import styles from './charts.module.css';

interface GridProps {
  width: number;
  height: number;
  x: Domain;
  y: Domain;
  yTicks: readonly number[];
  xTicks: readonly number[] | null;
  log: boolean;
  onScales: (scales: PlotScales) => void;
}

const noMargin = { top: 0, right: 0, bottom: 0, left: 0 };

/** Hands recharts' scales out, as two samples an axis. */
function ScaleProbe({ x, y, log, width, height, onScales }: Omit<GridProps, 'yTicks' | 'xTicks'>) {
  const scaleX = useXAxisScale();
  const scaleY = useYAxisScale();
  const left = Number(scaleX?.(x[0]));
  const right = Number(scaleX?.(x[1]));
  const bottom = Number(scaleY?.(y[0]));
  const top = Number(scaleY?.(y[1]));
  useLayoutEffect(() => {
    if (![left, right, bottom, top].every(Number.isFinite) || left === right || bottom === top) return;
    onScales({
      x: linearMap(x, [left, right]),
      y: (log ? logMap : linearMap)(y, [bottom, top]),
      width,
      height,
    });
  }, [left, right, bottom, top, x, y, log, width, height, onScales]);
  return null;
}

const Grid = memo(function Grid(props: GridProps) {
  const { width, height, x, y, yTicks, xTicks, log } = props;
  return (
    <LineChart
      width={width}
      height={height}
      margin={noMargin}
      accessibilityLayer={false}
      data={[
        { x: x[0], y: y[0] },
        { x: x[1], y: y[1] },
      ]}
    >
      <CartesianGrid
        stroke="var(--grid)"
        vertical={xTicks !== null}
        horizontalValues={[...yTicks]}
        verticalValues={xTicks === null ? [] : [...xTicks]}
      />
      <XAxis hide dataKey="x" type="number" domain={[x[0], x[1]]} allowDataOverflow includeHidden />
      <YAxis hide type="number" domain={[y[0], y[1]]} scale={log ? 'log' : 'linear'} allowDataOverflow includeHidden />
      {/* Without a line of its own a chart has no y scale; hidden, since a drawn one is measured at every rendering. */}
      <Line hide dataKey="y" dot={false} activeDot={false} isAnimationActive={false} />
      <ScaleProbe x={x} y={y} log={log} width={width} height={height} onScales={props.onScales} />
    </LineChart>
  );
});

export interface PlotProps {
  x: Domain;
  y: Domain;
  yTicks: readonly number[];
  /** Upright grid lines; null: none. */
  xTicks?: readonly number[] | null;
  log?: boolean;
  /** Paints everything, after the canvas has been cleared. A new function paints anew: keep it while its data are the same. */
  paint: (pen: CanvasRenderingContext2D, scales: PlotScales) => void;
  /** HTML over the canvas, told where things are. */
  children?: (scales: PlotScales) => ReactNode;
  /** Only heard: what the plot shows. */
  label: string;
}

export function Plot({ x, y, yTicks, xTicks = null, log = false, paint, children, label }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height } = useSize(box);
  const ratio = usePixelRatio();
  const theme = useThemeGeneration();
  const [scales, setScales] = useState<PlotScales | null>(null);
  const onScales = useCallback((next: PlotScales) => setScales(next), []);

  useLayoutEffect(() => {
    const element = canvas.current;
    const pen = element?.getContext('2d');
    if (!element || !pen || !scales) return;
    const pixels = { width: Math.round(scales.width * ratio), height: Math.round(scales.height * ratio) };
    if (element.width !== pixels.width || element.height !== pixels.height) Object.assign(element, pixels);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, scales.width, scales.height);
    paint(pen, scales);
  }, [scales, ratio, theme, paint]);

  return (
    <div ref={box} className={styles.plot} role="img" aria-label={label}>
      {width > 0 && height > 0 && (
        <>
          <div className={styles.grid} aria-hidden="true">
            <Grid
              width={width}
              height={height}
              x={x}
              y={y}
              yTicks={yTicks}
              xTicks={xTicks}
              log={log}
              onScales={onScales}
            />
          </div>
          <canvas ref={canvas} className={styles.canvas} aria-hidden="true" />
        </>
      )}
      {scales !== null && children?.(scales)}
    </div>
  );
}
