/** What a demo run has to show, read from its events: the base model writes the form, the adapter learns, the anchor holds. */
import type { RunEvent } from '../main/contract/events.ts';

/** The plan's roles, in its order. */
const CE = 0;
const KL = 1;
const FIRST_ROWS = 20;

export interface Check {
  what: string;
  /** As measured, for people. */
  found: string;
  ok: boolean;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

export function checkDemo(events: readonly RunEvent[]): Check[] {
  const visits = events.flatMap((event) => (event.kind === 'step' ? event.visits : []));
  const rowMeans = (role: number): number[] => visits.filter((v) => v.role === role).map((v) => v.sum / v.w);
  const first = rowMeans(CE).slice(0, FIRST_ROWS);
  const kl = rowMeans(KL);
  const heldOut = events.filter((event) => event.kind === 'evaluation').filter((event) => event.set === 'held_out');
  const before = heldOut.find((event) => event.rows === 0)?.mean ?? Number.NaN;
  const after = heldOut.find((event) => event.checkpoint === 'final')?.mean ?? Number.NaN;
  const firstMean = first.length === FIRST_ROWS ? mean(first) : Number.NaN;
  const drop = 1 - after / before;
  const klMean = kl.length > 0 ? mean(kl) : Number.NaN;
  return [
    {
      what: `CE of the first ${FIRST_ROWS} rows is under 1.0`,
      found: firstMean.toFixed(4),
      ok: firstMean < 1,
    },
    {
      what: 'held-out CE falls by at least 20 %',
      found: `${before.toFixed(4)} -> ${after.toFixed(4)} (${(100 * drop).toFixed(1)} %)`,
      ok: drop >= 0.2,
    },
    { what: 'KL is finite and above 0', found: klMean.toExponential(2), ok: Number.isFinite(klMean) && klMean > 0 },
  ];
}
