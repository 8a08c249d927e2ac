/** Some values of one key of a run's log records: what a sparkline needs, without reading all records. */
import type { ReadDb } from './database.ts';

/** At most `points` finite values of `key`, oldest first, evenly over the records that count. */
export function logValues({ sqlite }: ReadDb, run: number, key: string, points: number): number[] {
  const ids = sqlite
    .prepare('SELECT log_record FROM log_records WHERE run = ? AND superseded_by IS NULL ORDER BY rows, log_record')
    .pluck()
    .all(run) as number[];
  const read = sqlite.prepare('SELECT record FROM log_records WHERE log_record = ?').pluck();
  const count = Math.min(points, ids.length);
  const values: number[] = [];
  for (let at = 0; at < count; at += 1) {
    // First and last are always among them.
    const which = count === 1 ? ids.length - 1 : Math.round((at * (ids.length - 1)) / (count - 1));
    const value = (JSON.parse(read.get(ids[which]) as string) as Record<string, unknown>)[key];
    if (typeof value === 'number' && Number.isFinite(value)) values.push(value);
  }
  return values;
}
