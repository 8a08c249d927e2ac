/** A try: the trainer itself on the longest rows, for its peak memory and its time. Measured, not estimated, but for the time of the whole run. */
import type { ReactNode } from 'react';
import { Button } from '../../components/button.tsx';
import { classes } from '../../components/classes.ts';
import { ProgressBar } from '../../components/progress-bar.tsx';
import { Say } from '../../components/say.tsx';
import { Section } from '../../components/section.tsx';
import { Unit } from '../../components/unit.tsx';
import { formatCounted, formatGib, formatMeasure } from '../../format/numbers.ts';
import { formatDuration, formatMoment } from '../../format/times.ts';
import { useTryJob } from './job-store.ts';
import { secondsByRole } from './try-figures.ts';
import type { FormState } from './use-form.ts';
import { sentence } from '../../format/sentence.ts';
import styles from './ledger.module.css';

function Figure({ name, text }: { name: string; text: string }) {
  const [value, ...unit] = text.split(' ');
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value}
        {unit.length > 0 && <Unit>{unit.join(' ')}</Unit>}
      </dd>
    </div>
  );
}

export function startTry(form: FormState): void {
  if (form.censusWaits !== null || useTryJob.getState().running !== null) return;
  void useTryJob.getState().start(form.censusKey, { request: form.sent });
}

export function TrySection({ form }: { form: FormState }) {
  const { running, progress, answer, answerKey, fault, faultKey, cancel } = useTryJob();
  const working = running !== null;
  const stale = answer !== null && answerKey !== form.censusKey;
  const waits = working
    ? 'a try is running'
    : form.censusWaits === null
      ? null
      : `A try can be made ${form.censusWaits}`;
  let note: ReactNode;
  if (answer !== null)
    note = `${formatMoment(answer.time)}, ${answer.device.name}, ${formatCounted(answer.rows.length, 'row')}${stale ? ', other settings' : ''}`;
  return (
    <Section
      title="Try"
      note={note ?? 'peak memory and time of the longest rows, on the device'}
      actions={
        <Button small keys="Ctrl+T" onPress={() => startTry(form)} disabledReason={waits}>
          {answer === null ? 'Try' : 'Try again'}
        </Button>
      }
    >
      {working && (
        <div className={styles.working} role="status">
          <span>
            {progress === null ? 'starting the trainer' : progress.stage}
            {progress !== null && progress.of > 0 && ` ${progress.done} of ${progress.of}`}
          </span>
          <ProgressBar
            label="Try"
            value={progress === null || progress.of === 0 ? null : progress.done / progress.of}
          />
          <Button kind="text" small onPress={cancel}>
            Cancel
          </Button>
        </div>
      )}
      {!working && fault !== null && fault.code !== 'cancelled' && (
        <div className={classes(styles.notes, faultKey !== form.censusKey && styles.stale)}>
          <Say kind="bad" live title={sentence(fault.message)}>
            {fault.hint}
          </Say>
        </div>
      )}
      {answer !== null && <Figures stale={stale} />}
    </Section>
  );
}

function Figures({ stale }: { stale: boolean }) {
  const answer = useTryJob((state) => state.answer);
  if (answer === null) return null;
  const { peakGib, device, estimateSeconds } = answer;
  // On the CPU the trainer names no memory to compare with.
  const share = device.memoryGib > 0 ? peakGib / device.memoryGib : null;
  return (
    <div className={classes(styles.tried, stale && styles.stale)}>
      <dl className={styles.figures}>
        <Figure name="peak memory" text={formatGib(peakGib)} />
        {secondsByRole(answer).map(({ role, seconds, rows }) => (
          <Figure
            key={role}
            name={`${role.toUpperCase()} row, mean of ${rows}`}
            text={seconds < 0.1 ? `${formatMeasure(seconds * 1000)} ms` : `${formatMeasure(seconds)} s`}
          />
        ))}
        <Figure name="whole run, about" text={formatDuration(estimateSeconds)} />
      </dl>
      {share !== null && (
        <ProgressBar
          label="Peak of the device's memory"
          height={6}
          value={share}
          tone={share > 0.95 ? 'bad' : 'plain'}
        />
      )}
      <p className={styles.under}>
        <span>the try took {formatDuration(answer.seconds)}</span>
        {share !== null && <span>of {formatGib(device.memoryGib)}</span>}
      </p>
    </div>
  );
}
