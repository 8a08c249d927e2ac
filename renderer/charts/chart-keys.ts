/** Keys of charts, the same on every screen that has some. */
import type { Series } from '../../main/contract/window/runs.ts';
import type { KeyBinding } from '../navigation/keys.ts';
import { focusEma } from './chart-tools.tsx';
import type { ChartView } from './chart-view.ts';
import { moveBy, type Cursor } from './cursor.ts';
import { nextSpike, type Spike } from './spikes.ts';

export interface ChartKeysWish {
  cursor: Cursor;
  /** What the cursor stands at. */
  stops: ArrayLike<number>;
  view: ChartView;
  change: (change: Partial<ChartView>, options?: { push?: boolean }) => void;
  /** Spikes of the main curve; none: the keys for them are left out. */
  spikes?: () => readonly Spike[];
}

export function chartKeys({ cursor, stops, view, change, spikes }: ChartKeysWish): KeyBinding[] {
  const move = (by: number) => (): void => cursor.set(moveBy(stops, cursor.get(), by));
  const spike = (direction: 1 | -1) => (): void => {
    const found = nextSpike(spikes?.() ?? [], cursor.get(), direction);
    if (found) cursor.set(found.x);
  };
  return [
    { keys: 'ArrowLeft', shown: ['←', '→'], label: 'move cursor', run: move(-1) },
    { keys: 'ArrowRight', label: 'move cursor', run: move(1), minor: true },
    { keys: 'Shift+ArrowLeft', label: 'ten points back', run: move(-10), minor: true },
    { keys: 'Shift+ArrowRight', label: 'ten points on', run: move(10), minor: true },
    ...(spikes
      ? [
          { keys: '[', label: 'spike before', run: spike(-1), minor: true },
          { keys: ']', label: 'next spike', run: spike(1), minor: true },
        ]
      : []),
    {
      keys: 'Z',
      label: view.from === null && view.to === null ? 'zoom: drag' : 'whole range',
      run: () => change({ from: null, to: null }, { push: true }),
    },
    { keys: 'E', label: 'EMA', run: focusEma },
    { keys: 'Y', label: 'log y', run: () => change({ log: !view.log }) },
    { keys: 'O', label: 'outlier clip', run: () => change({ clip: !view.clip }) },
  ];
}

/** Which bucket a cursor may stand at: those of the first curve that has any. */
export const stopsOf = (curves: readonly (Series | null | undefined)[]): ArrayLike<number> =>
  curves.find((curve) => curve && curve.x.length > 0)?.x ?? [];
