/** The lane over a run's traces: its segments (one a start of the trainer) and what it saved, at their place on the same x axis. */
import type { RunDetail, Series } from '../../../main/contract/window/runs.ts';
import type { XKind } from '../../charts/chart-view.ts';
import { useCursor, nearestBucket, type Cursor } from '../../charts/cursor.ts';
import type { Domain } from '../../charts/domain.ts';
import { classes } from '../../components/classes.ts';
import { formatCount } from '../../format/numbers.ts';
import { placeOn, savedMarks, stepAtRows } from './run-marks.ts';
import styles from './run-lane.module.css';

interface RunLaneProps {
  run: RunDetail;
  x: Domain;
  kind: XKind;
  /** Maps steps to x. */
  curve: Series | null;
  /** Ranges of x that a resume replaced. */
  replaced: readonly (readonly [from: number, to: number])[];
  end: number;
  cursor: Cursor;
  /** Width of the plots in pixels. */
  width: number;
  chosen: string | null;
  onChoose: (checkpoint: string) => void;
}

export function RunLane({ run, x, kind, curve, replaced, end, cursor, width, chosen, onChoose }: RunLaneProps) {
  const share = (value: number): number => ((value - x[0]) / (x[1] - x[0])) * 100;
  const perPixel = (x[1] - x[0]) / Math.max(1, width);
  const segments = run.segments.flatMap((segment) => {
    const from = placeOn(kind, curve, { rows: segment.fromRows, step: segment.fromStep });
    return from === null ? [] : [{ ...segment, from }];
  });
  const marks = savedMarks(run, kind, curve, perPixel * 52).filter((mark) => mark.x >= x[0] && mark.x <= x[1]);
  const apart = hittable(marks, perPixel * 25);
  const next = run.planned.find((each) => each.name !== null && each.rows > run.rows);
  const nextX = next && kind === 'rows' && run.etaSeconds !== null ? next.rows : null;
  return (
    <div className={styles.lane}>
      <div className={styles.gutter} aria-hidden="true">
        <span className={styles.first}>seg.</span>
        <span className={styles.second}>saved</span>
      </div>
      <div className={styles.field}>
        {segments.map((segment, i) => {
          const to = Math.min(x[1], segments[i + 1]?.from ?? Math.max(end, segment.from));
          const from = Math.max(x[0], segment.from);
          if (to <= x[0] || from >= x[1]) return null;
          const text =
            i === 0
              ? String(segment.segment + 1)
              : `${segment.segment + 1} from state, ${formatCount(segment.fromRows)}`;
          return (
            <span
              key={segment.segment}
              className={styles.segment}
              style={{ left: `${share(from)}%`, width: `calc(${share(to) - share(from)}% - 1px)` }}
              title={`segment ${text}${i === 0 ? '' : ' rows'}`}
            >
              {text}
            </span>
          );
        })}
        {replaced.map(([from, to]) => (
          <span
            key={from}
            className={classes(styles.replaced, 'hatched')}
            style={{ left: `${share(from)}%`, width: `${share(to) - share(from)}%` }}
            title="replaced by a resume"
          />
        ))}
        {marks.map((mark) => (
          <span key={mark.name}>
            {apart.has(mark.name) ? (
              <button
                type="button"
                className={classes(styles.diamond, mark.epoch && styles.epoch, chosen === mark.name && styles.chosen)}
                style={{ left: `${share(mark.x)}%` }}
                aria-label={`Checkpoint ${mark.name}`}
                aria-pressed={chosen === mark.name}
                title={mark.name}
                onClick={() => onChoose(mark.name)}
              />
            ) : (
              <span
                className={classes(styles.diamond, mark.epoch && styles.epoch, chosen === mark.name && styles.chosen)}
                style={{ left: `${share(mark.x)}%` }}
                title={mark.name}
              />
            )}
            {mark.label !== null && (
              <span
                className={classes(styles.name, share(mark.x) > 92 && styles.before)}
                style={
                  share(mark.x) > 92
                    ? { right: `calc(${100 - share(mark.x)}% + 8px)` }
                    : { left: `calc(${share(mark.x)}% + 8px)` }
                }
              >
                {mark.label}
              </span>
            )}
          </span>
        ))}
        {nextX !== null && nextX >= x[0] && nextX <= x[1] && (
          <>
            <span className={classes(styles.diamond, styles.planned)} style={{ left: `${share(nextX)}%` }} />
            {(marks.length === 0 || nextX - (marks[marks.length - 1]?.x ?? 0) > perPixel * 110) && (
              <span
                className={classes(styles.name, styles.before)}
                style={{ right: `calc(${100 - share(nextX)}% + 8px)` }}
              >
                {next?.name}
              </span>
            )}
          </>
        )}
      </div>
      <AtStep cursor={cursor} curve={curve} run={run} kind={kind} />
    </div>
  );
}

/** Names of the marks that can be hit one by one, `least` (in units of x) from each other; the others are chosen in the table. */
function hittable(marks: readonly { name: string; x: number }[], least: number): ReadonlySet<string> {
  const names = new Set<string>();
  let last = Number.NEGATIVE_INFINITY;
  for (const { name, x } of marks.toSorted((a, b) => a.x - b.x)) {
    if (x - last < least) continue;
    names.add(name);
    last = x;
  }
  return names;
}

function AtStep({ cursor, curve, run, kind }: { cursor: Cursor; curve: Series | null; run: RunDetail; kind: XKind }) {
  const x = useCursor(cursor);
  const index = x === null || curve === null ? -1 : nearestBucket(curve.x, x);
  if (index < 0 || curve === null)
    return (
      <div className={styles.at}>
        <span className="third">point at a plot, or ← →</span>
      </div>
    );
  const step = (curve.step[index] ?? 0) + 1;
  const rows = kind === 'rows' ? (curve.x[index] ?? null) : null;
  const segment = run.segments.findLast((each) => each.fromStep < step);
  return (
    <div className={styles.at}>
      <b>step {formatCount(step)}</b>
      <span className="third">
        {rows !== null && `row ${formatCount(rows)}`}
        {rows !== null && run.segments.length > 1 && segment && ', '}
        {run.segments.length > 1 && segment && `seg. ${segment.segment + 1}`}
      </span>
    </div>
  );
}

/** Where epochs begin, in units of x; where that is known. */
export const epochPlaces = (run: RunDetail, kind: XKind, curve: Series | null): number[] =>
  run.epochStarts.flatMap((rows) => {
    if (rows > run.rows) return [];
    const x = placeOn(kind, curve, { rows, step: stepAtRows(run, rows) });
    return x === null ? [] : [x];
  });
