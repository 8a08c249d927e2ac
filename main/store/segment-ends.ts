/** When the segments of a run ended that others followed. */
import type { ReadDb } from './database.ts';

/** Time of the last step, checkpoint or evaluation of a segment, by segment; seconds since 1970. Empty for a run that was never resumed. */
export function segmentEnds({ sqlite }: ReadDb, run: number): Map<number, number> {
  const resumed = sqlite.prepare('SELECT count(*) FROM segments WHERE run = ?').pluck().get(run) as number;
  if (resumed < 2) return new Map();
  const ends = sqlite
    .prepare(
      `SELECT segment, max(time) FROM (
         SELECT segment, time FROM steps WHERE run = @run
         UNION ALL SELECT segment, time FROM checkpoints WHERE run = @run
         UNION ALL SELECT segment, time FROM evaluations WHERE run = @run
       ) GROUP BY segment`,
    )
    .raw()
    .all({ run }) as [number, number][];
  return new Map(ends);
}
