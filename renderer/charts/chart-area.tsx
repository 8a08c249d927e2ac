/**
 * The field over all plots of a screen that share an x axis: it draws the cursor through all of them, takes the mouse and marks a range to zoom into. Keys are
 * the screen's (`chartKeys`), so that they work wherever the focus is; for those who do not see the line it is a slider.
 */
/* eslint-disable @typescript-eslint/no-non-null-assertion -- indices are within the arrays that they were taken from */
import { useEffect, useRef, useState, type PointerEvent, type ReactNode } from 'react';
import { nearestBucket, type Cursor } from './cursor.ts';
import type { Domain } from './domain.ts';
import { invert } from './scales.ts';
import { classes } from '../components/classes.ts';
import { useSize } from './use-size.ts';
import styles from './charts.module.css';

interface ChartAreaProps {
  x: Domain;
  cursor: Cursor;
  /** x of the buckets that the cursor may stand at. */
  stops: ArrayLike<number>;
  /** What the cursor is at, in words: "step 1,184". */
  say: (x: number) => string;
  onZoom: (from: number, to: number) => void;
  onReset: () => void;
  children: ReactNode;
  /** Without readouts at the right. */
  wide?: boolean;
}

/** Shorter drags are clicks. */
const leastDrag = 5;

export function ChartArea({ x, cursor, stops, say, onZoom, onReset, children, wide = false }: ChartAreaProps) {
  const field = useRef<HTMLDivElement>(null);
  const line = useRef<HTMLDivElement>(null);
  const { width } = useSize(field);
  const [brush, setBrush] = useState<{ from: number; to: number } | null>(null);

  useEffect(() => {
    const place = (): void => {
      const at = cursor.get();
      const pixel = at === null ? null : ((at - x[0]) / (x[1] - x[0])) * width;
      const shown = pixel !== null && pixel >= -0.5 && pixel <= width + 0.5;
      if (line.current) {
        line.current.hidden = !shown;
        if (shown) line.current.style.transform = `translateX(${Math.round(pixel)}px)`;
      }
      field.current?.setAttribute('aria-valuenow', String(at ?? x[0]));
      field.current?.setAttribute('aria-valuetext', at === null ? 'not set' : say(at));
    };
    place();
    return cursor.subscribe(place);
  }, [cursor, x, width, say]);

  const pixelOf = (event: PointerEvent): number => event.clientX - field.current!.getBoundingClientRect().left;
  const toStop = (pixel: number): number | null => {
    const index = nearestBucket(stops, invert(x, width, pixel));
    return index < 0 ? null : stops[index]!;
  };

  return (
    <div className={classes(styles.area, wide && styles.wide)}>
      {children}
      <div
        ref={field}
        className={styles.field}
        role="slider"
        tabIndex={0}
        aria-label="Cursor of the charts"
        aria-valuemin={x[0]}
        aria-valuemax={x[1]}
        aria-valuenow={x[0]}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          const at = pixelOf(event);
          setBrush({ from: at, to: at });
        }}
        onPointerMove={(event) => {
          const at = pixelOf(event);
          if (brush) setBrush({ ...brush, to: Math.min(width, Math.max(0, at)) });
          cursor.set(toStop(at));
        }}
        onPointerUp={() => {
          if (brush && Math.abs(brush.to - brush.from) >= leastDrag) {
            const ends = [invert(x, width, brush.from), invert(x, width, brush.to)].sort((a, b) => a - b);
            onZoom(ends[0]!, ends[1]!);
          }
          setBrush(null);
        }}
        onPointerCancel={() => setBrush(null)}
        onDoubleClick={onReset}
      >
        <div ref={line} className={styles.cursor} hidden />
        {brush !== null && Math.abs(brush.to - brush.from) >= leastDrag && (
          <div
            className={styles.brush}
            style={{ left: Math.min(brush.from, brush.to), width: Math.abs(brush.to - brush.from) }}
          />
        )}
      </div>
    </div>
  );
}
