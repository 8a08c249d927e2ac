/** Why a run ended before its end, what to do, and the end of its log: the first thing on the page when something went wrong. */
import type { RunDetail } from '../../../main/contract/window/runs.ts';
import { Button } from '../../components/button.tsx';
import { Say } from '../../components/say.tsx';
import { Section } from '../../components/section.tsx';
import { formatCount } from '../../format/numbers.ts';
import { sentence } from '../../format/sentence.ts';
import { formatDuration, formatMoment, nowSeconds } from '../../format/times.ts';
import { resumeRun, useConnected, whyNotResume } from '../runs/run-actions.tsx';
import { LogTail } from './side-log.tsx';
import styles from './run.module.css';

/** Failed, interrupted, or stopped early. */
export const endedEarly = (run: Pick<RunDetail, 'state'>): boolean =>
  run.state === 'failed' || run.state === 'lost' || run.state === 'stopped';

/** The end of its log stands under the reason, so that it is not at the bottom of the side too. */
export const showsLog = (run: Pick<RunDetail, 'state'>): boolean => run.state === 'failed' || run.state === 'lost';

export function SideFailure({ run, onLog }: { run: RunDetail; onLog: () => void }) {
  const connected = useConnected();
  const why = whyNotResume(run, connected);
  const titles = { failed: 'Why it failed', lost: 'Interrupted', stopped: 'Stopped' } as const;
  return (
    <Section
      title={titles[run.state as keyof typeof titles]}
      note={`at step ${formatCount(run.steps)} of ${formatCount(run.totalSteps)}`}
      actions={
        <>
          {why === null && (
            <Button small keys="R" onPress={() => void resumeRun(run.id)}>
              Resume
            </Button>
          )}
          {showsLog(run) && (
            <Button kind="text" small keys="L" onPress={onLog}>
              All of the log
            </Button>
          )}
        </>
      }
    >
      <div className={styles.says}>
        {run.state === 'failed' && (
          <Say kind="bad" title={sentence(run.failure?.message ?? 'The trainer ended without saying why')}>
            {run.failure?.hint ?? 'The end of its log may say more.'}{' '}
            {run.failure && <span className="mono-small third">{run.failure.code}</span>}
          </Say>
        )}
        {run.state === 'lost' && (
          <Say
            kind="warning"
            title={`The trainer's process is gone; its last word was at step ${formatCount(run.steps)}.`}
          >
            {run.failure?.message ?? 'The machine may have gone down, or somebody ended it.'} {run.failure?.hint}
          </Say>
        )}
        {run.state === 'stopped' && (
          <Say kind="info">
            It was asked to stop and did, after {formatCount(run.rows)} of {formatCount(run.totalRows)} rows.
          </Say>
        )}
        {run.failedRows.length > 0 && (
          <div className="small">
            <span className="third">
              {run.failedRows.length === 1 ? 'The row of that step' : 'The rows of that step'}
            </span>
            <ul className={styles.rowNames}>
              {run.failedRows.slice(0, 12).map((name) => (
                <li key={name} className="mono-small">
                  {name}
                </li>
              ))}
              {run.failedRows.length > 12 && <li className="third">and {run.failedRows.length - 12} more</li>}
            </ul>
          </div>
        )}
        <Repair run={run} why={why} />
      </div>
      {showsLog(run) && <LogTail run={run} lines={8} onLog={onLog} inside />}
    </Section>
  );
}

/** From where it could go on. */
function Repair({ run, why }: { run: RunDetail; why: string | null }) {
  const adapter = run.checkpoints.findLast((each) => each.kind === 'adapter');
  const state = run.checkpoints.findLast((each) => each.kind === 'resume');
  const now = nowSeconds();
  return (
    <p className="small second">
      {adapter ? (
        <>
          Last whole checkpoint: <span className="mono-small">{adapter.name}</span>.{' '}
        </>
      ) : (
        'No checkpoint was saved. '
      )}
      {!state
        ? 'No resume state: it cannot go on.'
        : run.canResume
          ? `Resume state at step ${formatCount(state.step)}, saved ${formatMoment(state.time, now)}, ${formatDuration(now - state.time)} ago.`
          : `The resume state of step ${formatCount(state.step)} is not there any more: it cannot go on.`}
      {run.canResume && why !== null && ` Not now: ${why}.`}
    </p>
  );
}
