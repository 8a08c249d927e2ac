/** Curves of runs at the resolution of the screen, live. */
import { call } from '../api/client.ts';
import type { Metric, SeriesAnswer, SeriesInput } from '../../main/contract/window/runs.ts';
import { useLive, type Live } from '../stores/use-live.ts';

/** Buckets for a plot of so many pixels: one a pixel, in steps, so that a window that is being resized does not ask for each width. */
export const bucketsFor = (width: number): number => Math.min(1536, Math.max(256, Math.ceil(width / 256) * 256));

export function useSeries(
  runs: readonly string[],
  metrics: readonly Metric[],
  view: Pick<SeriesInput, 'x' | 'from' | 'to' | 'ema'>,
  points: number,
): Live<SeriesAnswer> {
  const input: SeriesInput = {
    runs: [...runs],
    metrics: [...metrics],
    x: view.x,
    from: view.from,
    to: view.to,
    points,
    ema: view.ema,
  };
  const empty = runs.length === 0 || metrics.length === 0;
  return useLive<SeriesAnswer>({
    key: empty ? null : JSON.stringify(input),
    pull: () => call('runs.series', input),
    runs,
  });
}
