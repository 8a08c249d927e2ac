/** One run in the table; a second line says why it failed and offers what repairs it. Rendered again only when something of it changed. */
import { memo } from 'react';
import type { RunRow } from '../../../main/contract/window/runs.ts';
import { hueOf, type Slot } from '../../charts/identity.ts';
import { Button } from '../../components/button.tsx';
import { Checkbox } from '../../components/checkbox.tsx';
import { classes } from '../../components/classes.ts';
import { LinkTo } from '../../components/link-to.tsx';
import { ProgressBar } from '../../components/progress-bar.tsx';
import { Sparkline } from '../../components/sparkline.tsx';
import { StateMark } from '../../components/state-mark.tsx';
import { formatCount, formatError, formatLoss, missing } from '../../format/numbers.ts';
import { sentence } from '../../format/sentence.ts';
import { shortModel } from '../../format/short-model.ts';
import { formatDuration, formatMoment } from '../../format/times.ts';
import { isAtWork } from '../../stores/runs.ts';
import { EditableText } from './editable-text.tsx';
import { resumeRun, runAddress, useResuming, whyNotResume } from './run-actions.tsx';
import { ceRole, lastHeldOut, lastKl, lastOf } from './run-table.ts';
import styles from './runs.module.css';

interface RunLineProps {
  run: RunRow;
  /** null: not ticked. */
  slot: Slot | null;
  /** The line that keys act on. */
  current: boolean;
  connected: boolean;
  /** Its name is being changed. */
  renaming: boolean;
  onRename: (id: string | null) => void;
  onTick: (id: string) => void;
  onCurrent: (id: string) => void;
  /** Of this minute, in seconds since 1970: days are told from it. */
  now: number;
}

export const RunLine = memo(function RunLine(props: RunLineProps) {
  const { run, slot, current, connected, renaming, onRename, onTick, onCurrent, now } = props;
  const heldOut = lastHeldOut(run);
  const failed = run.state === 'failed';
  return (
    <>
      <tr
        data-run={run.id}
        className={classes(
          current && styles.current,
          failed && styles.failed,
          failed && run.failure !== null && styles.hasWhy,
        )}
        aria-current={current || undefined}
        onClick={() => onCurrent(run.id)}
      >
        <td>
          <Checkbox
            checked={slot !== null}
            label={`Compare ${run.name}`}
            hideLabel
            {...(slot === null ? {} : { hue: Number(hueOf(slot).slice(5)) })}
            onChange={() => onTick(run.id)}
          />
        </td>
        <td>
          <StateMark state={run.state} elsewhere={run.elsewhere ? (run.host ?? true) : null} />
        </td>
        <td className={styles.named}>
          <div className={styles.names}>
            {renaming ? (
              <EditableText
                run={run.id}
                field="name"
                value={run.name}
                label="Name of the run"
                begun
                onEditing={(editing) => editing || onRename(null)}
              />
            ) : (
              <>
                <LinkTo to={runAddress(run.id)} className={styles.name}>
                  {run.name}
                </LinkTo>
                <button
                  type="button"
                  className={styles.rename}
                  aria-label={`Rename ${run.name}`}
                  onClick={() => onRename(run.id)}
                >
                  rename
                </button>
              </>
            )}
            {run.elsewhere && isAtWork(run) && run.lastHeardSeconds !== null && (
              <span className="third nowrap">last heard {formatDuration(run.lastHeardSeconds)} ago</span>
            )}
            {run.folderGone && <span className="third nowrap">folder gone</span>}
            <span className={classes('third', styles.note)}>
              <EditableText
                key={run.note}
                run={run.id}
                field="note"
                value={run.note}
                label={`Note of ${run.name}`}
                placeholder="note"
              />
            </span>
          </div>
        </td>
        <td className="second">{run.recipe}</td>
        <td className={classes('second', styles.model)} title={run.modelName}>
          {shortModel(run.modelName)}
        </td>
        <td>
          <Progress run={run} />
        </td>
        <td className="number">{formatLoss(lastOf(run, ceRole(run)))}</td>
        <td className="number">{formatLoss(lastKl(run))}</td>
        <td className="number">
          {heldOut === undefined ? (
            <span className="third">{isAtWork(run) ? missing : 'none'}</span>
          ) : (
            <>
              {formatLoss(heldOut.mean)} <span className="third">{formatError(heldOut.stderr)}</span>
            </>
          )}
        </td>
        <td className="third">
          {heldOut !== undefined && (
            <>
              n {formatCount(heldOut.n)}{' '}
              <span className="mono-small" title={`set ${heldOut.set}, ${heldOut.hash}`}>
                {heldOut.hash.slice(0, 4)}
              </span>
            </>
          )}
        </td>
        <td className={styles.spark}>
          <Sparkline values={run.sparkline} tone={failed ? 'bad' : 'plain'} />
        </td>
        <td className="second">{run.started === null ? missing : formatMoment(run.started, now)}</td>
        <td className="number second">{formatDuration(run.durationSeconds)}</td>
      </tr>
      {failed && run.failure !== null && (
        <tr className={styles.why} onClick={() => onCurrent(run.id)}>
          <td />
          <td colSpan={12}>
            <Why run={run} connected={connected} />
          </td>
        </tr>
      )}
    </>
  );
});

function Progress({ run }: { run: RunRow }) {
  if (run.state === 'finished') return <span className="third">{formatCount(run.rows)} rows</span>;
  const atWork = isAtWork(run);
  const share = run.totalRows === 0 ? 0 : run.rows / run.totalRows;
  const words = atWork
    ? run.state === 'preparing' || run.steps === 0
      ? run.phase === 'loading'
        ? 'loading'
        : 'starting'
      : run.phase === 'evaluating'
        ? 'scoring'
        : run.phase === 'saving'
          ? 'saving'
          : run.etaSeconds === null
            ? ''
            : `${formatDuration(run.etaSeconds)} left`
    : run.state === 'failed'
      ? `at step ${formatCount(run.steps)}`
      : run.canResume
        ? 'can resume'
        : `at step ${formatCount(run.steps)}`;
  return (
    <div className={styles.progress}>
      <span className={styles.bar}>
        <ProgressBar
          value={share}
          tone={run.state === 'failed' ? 'bad' : atWork ? 'run' : 'plain'}
          label={`Progress of ${run.name}`}
        />
      </span>
      <span className={styles.percent}>{Math.floor(share * 100)} %</span>
      <span className="third">{words}</span>
    </div>
  );
}

function Why({ run, connected }: { run: RunRow; connected: boolean }) {
  const resuming = useResuming(run.id);
  if (run.failure === null) return null;
  const why = whyNotResume(run, connected);
  return (
    <div className={styles.reason}>
      <p>
        <b>{sentence(run.failure.message)}</b> {run.failure.hint}{' '}
        {run.canResume
          ? 'It has a resume state to go on from.'
          : run.folderGone
            ? 'Its folder is gone.'
            : 'It has no resume state.'}
      </p>
      <span className={styles.repair}>
        {run.canResume && (
          <Button disabledReason={resuming ? 'it is being resumed' : why} onPress={() => void resumeRun(run.id)}>
            Resume
          </Button>
        )}
        <LinkTo to={runAddress(run.id)} as="plain">
          Open
        </LinkTo>
        <LinkTo to={`${runAddress(run.id)}?open=log`} as="plain">
          Log
        </LinkTo>
      </span>
    </div>
  );
}
