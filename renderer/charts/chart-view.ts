/**
 * How the charts of a screen are looked at: what x counts, which range, how smooth, which scale. All of it stands in the address, so that a link shows the same
 * picture, and going back undoes a zoom.
 */
import { useMemo } from 'react';
import { setQuery, useAddress } from '../navigation/address.ts';
import type { SeriesInput } from '../../main/contract/window/runs.ts';

export type XKind = SeriesInput['x'];
export const xKinds: readonly XKind[] = ['rows', 'steps', 'tokens', 'time'];

export interface ChartView {
  x: XKind;
  from: number | null;
  to: number | null;
  /** 0: none. */
  ema: number;
  log: boolean;
  clip: boolean;
  /** Optimizer step at the cursor, counted from 1. */
  at: number | null;
}

/** Smoothing that suits so many steps: about a fiftieth of a long run, and less of a short one. */
export const usualEma = (steps: number): number =>
  steps >= 1000 ? 0.98 : steps >= 200 ? 0.95 : steps >= 50 ? 0.8 : 0.6;

/** `0.98` -> 0.98; null: cannot be read or is outside [0, 0.9999]. */
export function parseEma(text: string): number | null {
  const value = Number(text.trim().replace(',', '.'));
  return text.trim() !== '' && value >= 0 && value <= 0.9999 ? value : null;
}

const finite = (text: string | undefined): number | null => {
  const value = Number(text);
  return text !== undefined && text !== '' && Number.isFinite(value) ? value : null;
};

/** What cannot be read is as if it were not there. */
export function parseView(query: Readonly<Record<string, string>>, steps: number): ChartView {
  const from = finite(query['from']);
  const to = finite(query['to']);
  const whole = (from ?? 0) < (to ?? Infinity);
  const at = finite(query['at']);
  return {
    x: xKinds.find((kind) => kind === query['x']) ?? 'rows',
    from: whole ? from : null,
    to: whole ? to : null,
    ema: parseEma(query['ema'] ?? '') ?? usualEma(steps),
    log: query['log'] === '1',
    clip: query['clip'] !== '0',
    at: at !== null && at >= 1 ? Math.round(at) : null,
  };
}

const shortNumber = (value: number): string => String(Number(value.toPrecision(9)));

/** Entries of the query for a change; what is usual is left out of it. */
export function formatView(change: Partial<ChartView>, steps: number): Record<string, string | undefined> {
  const entries: Record<string, string | undefined> = {};
  if (change.x !== undefined) Object.assign(entries, { x: change.x === 'rows' ? undefined : change.x });
  if (change.from !== undefined) entries['from'] = change.from === null ? undefined : shortNumber(change.from);
  if (change.to !== undefined) entries['to'] = change.to === null ? undefined : shortNumber(change.to);
  if (change.ema !== undefined) entries['ema'] = change.ema === usualEma(steps) ? undefined : String(change.ema);
  if (change.log !== undefined) entries['log'] = change.log ? '1' : undefined;
  if (change.clip !== undefined) entries['clip'] = change.clip ? undefined : '0';
  if (change.at !== undefined) entries['at'] = change.at === null ? undefined : String(change.at);
  return entries;
}

/** `steps`: of the longest run shown, for the usual smoothing. Another x forgets the range, which was in the units of the old one. */
export function useChartView(
  steps: number,
): [ChartView, (change: Partial<ChartView>, options?: { push?: boolean }) => void] {
  const { query } = useAddress();
  const view = useMemo(() => parseView(query, steps), [query, steps]);
  return [
    view,
    (change, { push = false } = {}) =>
      setQuery(
        formatView(change.x === undefined || change.x === view.x ? change : { from: null, to: null, ...change }, steps),
        {
          replace: !push,
        },
      ),
  ];
}
