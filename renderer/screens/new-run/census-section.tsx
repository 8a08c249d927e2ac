/** What will be trained, counted from the plan itself before it starts. An older census stays, greyed, while a new one is made. */
import { useState } from 'react';
import type { DraftCensus } from '../../../main/contract/window/draft.ts';
import { Button } from '../../components/button.tsx';
import { classes } from '../../components/classes.ts';
import { Empty } from '../../components/empty.tsx';
import { ProgressBar } from '../../components/progress-bar.tsx';
import { Say } from '../../components/say.tsx';
import { Section } from '../../components/section.tsx';
import { formatCount, formatCounted, missing } from '../../format/numbers.ts';
import { formatDuration } from '../../format/times.ts';
import { accountsOf, leftOutBefore } from './accounts.ts';
import { BadRowLines } from './bad-rows.tsx';
import { useCensusJob } from './job-store.ts';
import { censusField } from './problems.ts';
import { ScheduleSection } from './schedule-section.tsx';
import type { FormState } from './use-form.ts';
import { sentence } from '../../format/sentence.ts';
import { useForm } from './form.ts';
import styles from './ledger.module.css';

const reasonWords: Readonly<Record<string, string>> = {
  'no-action': 'no "action" in the target',
  'length-differs': 'other token count in context',
};

/** Shown in the table of roles; not said twice. */
const inTable = new Set(['fallback-masks']);

function RoleTable({ answer }: { answer: DraftCensus }) {
  const accounts = accountsOf(answer.census);
  return (
    <table className={styles.roles}>
      <thead>
        <tr>
          <th scope="col">Role</th>
          <th scope="col">Rows an epoch</th>
          <th scope="col">In all</th>
          <th scope="col">Tokens in loss</th>
          <th scope="col" title="Different rows whose action could not be found: every target counts as action">
            Fallback
          </th>
          <th scope="col" title="Different rows without a single token in the loss">
            Zero mask
          </th>
        </tr>
      </thead>
      <tbody>
        {accounts.roles.map((line) => (
          <tr key={line.role}>
            <th scope="row">
              <span className={classes(styles.role, line.role === 'kl' && styles.anchor)}>
                {line.role.toUpperCase()}
              </span>{' '}
              <span title={line.about}>{line.about}</span>
            </th>
            <td>{formatCount(line.perEpoch)}</td>
            <td>{formatCount(line.inAll)}</td>
            <td>{formatCount(line.tokens)}</td>
            <td className={line.fallback === null ? styles.quiet : line.fallback > 0 ? styles.warn : undefined}>
              {line.fallback === null ? 'n/a' : formatCount(line.fallback)}
            </td>
            <td className={line.zero > 0 ? styles.warn : undefined}>{formatCount(line.zero)}</td>
          </tr>
        ))}
        <tr>
          <th scope="row">held out, by trajectory</th>
          <td>{formatCount(accounts.heldOut)}</td>
          <td className={styles.quiet}>{missing}</td>
          <td colSpan={3} />
        </tr>
        {accounts.unused.map((line) => (
          <tr key={line.about}>
            <th scope="row">not used</th>
            <td>{formatCount(line.rows)}</td>
            <td colSpan={4} className={styles.why}>
              {line.about}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Fallbacks({ answer }: { answer: DraftCensus }) {
  const [open, setOpen] = useState(false);
  const { fallback } = answer.census;
  if (fallback.rows === 0) return null;
  const reasons = Object.entries(fallback.reasons).map(
    ([reason, rows]) => `${reasonWords[reason] ?? reason} (${rows})`,
  );
  const loss = fallback.matters ? '' : '; no role of this run weighs by action';
  return (
    <Say kind={fallback.matters ? 'warning' : 'info'}>
      {formatCounted(fallback.rows, 'row')} count every target as action: {reasons.join(', ')}
      {loss}.{' '}
      <Button kind="text" small expanded={open} onPress={() => setOpen(!open)}>
        {open ? 'Hide' : fallback.first.length < fallback.rows ? `List the first ${fallback.first.length}` : 'List'}
      </Button>
      {open && (
        <ul className={styles.names}>
          {fallback.first.map((name) => (
            <li key={name}>{name}</li>
          ))}
        </ul>
      )}
    </Say>
  );
}

function CensusNotes({ answer, folders }: { answer: DraftCensus; folders: readonly string[] }) {
  const { census, badRows } = answer;
  const left = leftOutBefore(census);
  const names = useForm().recipe.settings.map(({ name }) => name);
  return (
    <div className={styles.notes}>
      {badRows.found > 0 && (
        <Say kind="warning" title={`${formatCounted(badRows.found, 'row')} left out`}>
          that cannot be used, {badRows.allowed} allowed.
          <BadRowLines rows={badRows.rows.slice(0, 5)} folders={folders} />
        </Say>
      )}
      <Fallbacks answer={answer} />
      {census.warnings
        .filter(({ code }) => !inTable.has(code) && !(code === 'bad-rows' && badRows.found > 0))
        .map(({ code, message }) => (
          <Say key={`${code} ${message}`} kind="warning">
            {sentence(message, names)}
          </Say>
        ))}
      {left.length > 0 && (
        <Say kind="info">
          Not among them: {left.map(({ rows, about }) => `${formatCount(rows)} ${about}`).join(', ')}.
        </Say>
      )}
      <p className={styles.hashes}>
        rows of epoch 1 <code>r:{answer.rowSetHash.slice(0, 8)}</code>, their masks{' '}
        <code>m:{answer.maskHash.slice(0, 8)}</code>
      </p>
    </div>
  );
}

function Working() {
  const { progress, cancel } = useCensusJob();
  return (
    <div className={styles.working} role="status">
      <span>
        {progress === null
          ? 'counting'
          : `${progress.stage}${progress.of > 0 ? ` ${formatCount(progress.done)} of ${formatCount(progress.of)}` : ''}`}
      </span>
      <ProgressBar label="Census" value={progress === null || progress.of === 0 ? null : progress.done / progress.of} />
      <Button kind="text" small onPress={cancel}>
        Cancel
      </Button>
    </div>
  );
}

export function CensusSection({ form }: { form: FormState }) {
  const { running, answer, answerKey, fault, faultKey, start } = useCensusJob();
  const { censusKey, censusWaits, sent } = form;
  const working = running === censusKey;
  const failed = faultKey === censusKey && fault !== null && !working;
  const current = answerKey === censusKey && !failed;
  const again = (
    <Button small onPress={() => void start(censusKey, { request: sent })} disabledReason={censusWaits}>
      Count again
    </Button>
  );
  const of = answer === null ? '' : `census of ${formatCount(answer.census.poolRows)} readable rows`;
  const took = answer === null ? '' : `, ${formatDuration(answer.seconds)}`;
  const stale = answer !== null && !current;
  return (
    <>
      <Section
        title="What will be trained"
        note={stale ? `${of}, of earlier settings` : `${of}${took}`}
        actions={failed ? again : undefined}
      >
        <div data-field={censusField} tabIndex={-1}>
          {working && <Working />}
          {failed && (
            <div className={styles.notes}>
              <Say
                kind={fault.code === 'cancelled' ? 'info' : 'bad'}
                live
                title={fault.code === 'cancelled' ? undefined : sentence(fault.message)}
              >
                {fault.code === 'cancelled' ? 'The census was cancelled. Launch counts anew.' : fault.hint}
              </Say>
            </div>
          )}
          {!working && !failed && !current && censusWaits !== null && (
            <p className={styles.waits}>
              {answer === null ? 'Counted' : 'Counted anew'} {censusWaits}
            </p>
          )}
          {answer === null ? (
            !working && !failed && censusWaits === null && <Empty title="about to be counted" />
          ) : (
            <div className={stale ? styles.stale : undefined} aria-busy={working}>
              <RoleTable answer={answer} />
              <CensusNotes answer={answer} folders={form.request.rowsFolders} />
            </div>
          )}
        </div>
      </Section>
      {answer !== null && <ScheduleSection answer={answer} stale={stale} wished={form.request.settings['gradAccum']} />}
    </>
  );
}
