/** How far a run is, in one line and a bar: rows, steps, epoch, when it ends, what is saved next. Estimates come from the last steps, evaluations left out. */
import type { RunDetail } from '../../../main/contract/window/runs.ts';
import { ProgressBar } from '../../components/progress-bar.tsx';
import { formatCount, formatMeasure } from '../../format/numbers.ts';
import { formatDuration, formatMoment, nowSeconds } from '../../format/times.ts';
import { isAtWork } from '../../stores/runs.ts';
import styles from './run.module.css';

const phases: Readonly<Record<string, string>> = {
  loading: 'loading the base model',
  training: 'training',
  evaluating: 'scoring held-out rows',
  saving: 'saving a checkpoint',
};
/** What the trainer is busy with, in words. */
export const phaseWords = (phase: string | null): string | null => (phase === null ? null : (phases[phase] ?? phase));

/** Epochs done, as 1.86 of 3. */
export function epochOf(run: Pick<RunDetail, 'epochStarts' | 'rows' | 'totalRows'>): number | null {
  if (run.totalRows === 0) return null;
  const starts = [0, ...run.epochStarts, run.totalRows];
  const at = starts.findLastIndex((start) => start <= run.rows);
  const [from, to] = [starts[at] ?? 0, starts[at + 1] ?? run.totalRows];
  return at >= starts.length - 1 ? starts.length - 1 : at + (run.rows - from) / Math.max(1, to - from);
}

export function RunProgress({ run, current }: { run: RunDetail; current: boolean }) {
  const atWork = isAtWork(run);
  const share = run.totalRows === 0 ? 0 : run.rows / run.totalRows;
  const epoch = epochOf(run);
  const next = atWork ? run.planned.find((each) => each.name !== null && each.rows > run.rows) : undefined;
  const now = nowSeconds();
  const phase = phaseWords(run.phase);
  return (
    <div className={styles.progress}>
      <div className={styles.facts}>
        <span>
          <b>{(Math.floor(share * 1000) / 10).toFixed(1)} %</b> {formatCount(run.rows)} of {formatCount(run.totalRows)}{' '}
          rows
        </span>
        <span>
          step {formatCount(run.steps)} of {formatCount(run.totalSteps)}
        </span>
        {epoch !== null && (
          <span>
            epoch {epoch.toFixed(2).replace(/\.00$/, '')} of {run.epochs}
          </span>
        )}
        {atWork && run.etaSeconds !== null && run.rowsPerSecond !== null && (
          <span>
            <b>
              {formatDuration(run.etaSeconds)} {current ? 'left' : 'were left'}
            </b>{' '}
            {current && `ends ${formatMoment(now + run.etaSeconds, now)}, `}at {formatMeasure(run.rowsPerSecond)} rows/s
            without evaluations
          </span>
        )}
        {atWork && run.etaSeconds === null && run.state !== 'preparing' && <span>time left after two steps</span>}
        {next?.name != null && run.rowsPerSecond !== null && current && (
          <span className={styles.wide}>
            {next.name} in {formatDuration((next.rows - run.rows) / run.rowsPerSecond)}
          </span>
        )}
        {atWork && phase !== null && phase !== 'training' && <span>{phase}</span>}
        {!atWork && run.durationSeconds !== null && <span>{formatDuration(run.durationSeconds)} at work</span>}
        <span className={styles.started}>
          {run.started === null
            ? `made ${formatMoment(run.created, now)}`
            : `started ${formatMoment(run.started, now)}`}
        </span>
      </div>
      <ProgressBar
        value={share}
        label="Progress in rows"
        height={5}
        tone={run.state === 'failed' ? 'bad' : atWork && current ? 'run' : 'plain'}
        marks={run.epochStarts.map((start) => start / Math.max(1, run.totalRows))}
      />
    </div>
  );
}
