/** The target's marks over an image: in a colour of their own on a light edge, so that they are seen on any page. */
import { useEffect, useRef, useState } from 'react';
import type { ActionMark, ShownImage } from '../../../main/contract/window/rows.ts';
import { labelCorner, markShape, pathData, type MarkShape } from './mark-geometry.ts';
import styles from './row.module.css';

/** Widths of letters of the label's font at 1 px; labels are short, and a little air does no harm. */
const letter = 0.53;

export function ActionOverlay({ image, marks }: { image: ShownImage; marks: readonly ActionMark[] }) {
  const svg = useRef<SVGSVGElement>(null);
  const [shownWidth, setShownWidth] = useState(640);
  useEffect(() => {
    const element = svg.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => {
      const width = entry?.contentRect.width ?? 0;
      if (width > 0) setShownWidth(width);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const unit = image.width / shownWidth;
  const shapes = marks.flatMap((mark) => markShape(mark, image, unit) ?? []);
  return (
    <svg
      ref={svg}
      className={styles.overlay}
      viewBox={`0 0 ${image.width} ${image.height}`}
      role="img"
      aria-label={shapes.length === 0 ? 'Nothing is marked' : `Marked: ${shapes.map(({ label }) => label).join(', ')}`}
    >
      {shapes.map((shape, index) => (
        <g key={`${index} ${shape.label}`}>
          <Strokes shape={shape} unit={unit} className={styles.edge} width={5} />
          <Strokes shape={shape} unit={unit} className={styles.act} width={2} />
          <Label shape={shape} unit={unit} image={image} />
        </g>
      ))}
    </svg>
  );
}

interface StrokesProps {
  shape: MarkShape;
  unit: number;
  className: string | undefined;
  width: number;
}

function Strokes({ shape: { at, target, box, line, head }, unit, className, width }: StrokesProps) {
  const [x, y] = at;
  const [near, far] = [4 * unit, 15 * unit];
  return (
    <g className={className} strokeWidth={width * unit}>
      {box && <rect x={box[0]} y={box[1]} width={box[2]} height={box[3]} />}
      {target && (
        <>
          <circle cx={x} cy={y} r={9 * unit} />
          <path
            d={`M${x - far} ${y}H${x - near}M${x + near} ${y}H${x + far}M${x} ${y - far}V${y - near}M${x} ${y + near}V${y + far}`}
          />
        </>
      )}
      {line && (
        <>
          <path d={pathData(line)} />
          <circle cx={line[0]?.[0]} cy={line[0]?.[1]} r={4 * unit} />
        </>
      )}
      {head && <path d={pathData(head)} />}
    </g>
  );
}

function Label({ shape: { label, at }, unit, image }: { shape: MarkShape; unit: number; image: ShownImage }) {
  const size = { width: (Array.from(label).length * 12 * letter + 10) * unit, height: 18 * unit };
  const [x, y] = labelCorner(at, size, image, unit);
  return (
    <g className={styles.markLabel}>
      <rect x={x} y={y} {...size} />
      <text x={x + 5 * unit} y={y + 13 * unit} fontSize={12 * unit}>
        {label}
      </text>
    </g>
  );
}
