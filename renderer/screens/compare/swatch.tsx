/** Hue and dash of a run, as its line is drawn. */
import { dashOf, hueOf, type Slot } from '../../charts/identity.ts';

export function Swatch({ slot, width = 20 }: { slot: Slot; width?: number }) {
  return (
    <svg width={width} height={8} aria-hidden="true" style={{ display: 'block', flex: 'none' }}>
      <line
        x1={0}
        x2={width}
        y1={4}
        y2={4}
        style={{ stroke: `var(${hueOf(slot)})`, strokeWidth: 2.5, strokeDasharray: dashOf(slot).join(' ') || 'none' }}
      />
    </svg>
  );
}
