/** The schedule of the counted plan: what was asked for and what will happen, where the two differ. */
import type { ReactNode } from 'react';
import type { DraftCensus } from '../../../main/contract/window/draft.ts';
import { classes } from '../../components/classes.ts';
import { Section } from '../../components/section.tsx';
import { formatCount, formatCounted, formatShort, missing } from '../../format/numbers.ts';
import styles from './ledger.module.css';

export function Fact({ name, children, warn = false }: { name: string; children: ReactNode; warn?: boolean }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={warn ? styles.warn : undefined}>{children}</dd>
    </div>
  );
}

interface ScheduleProps {
  answer: DraftCensus;
  stale: boolean;
  /** Rows of an optimizer step as they were set; undefined: by default, which is what happens. */
  wished: unknown;
}

export function ScheduleSection({ answer, stale, wished }: ScheduleProps) {
  const { census, trainable } = answer;
  const { steps, checkpoints, evaluations } = census;
  const other = typeof wished === 'number' && wished !== census.effectiveBatch && !stale;
  const heldOut = evaluations.find(({ name }) => name === 'held_out') ?? evaluations[0];
  const final = checkpoints.some(({ name }) => name === 'final');
  const saved = checkpoints.length - (final ? 1 : 0);
  return (
    <Section title="Schedule">
      <dl className={classes(styles.facts, stale && styles.stale)}>
        <Fact name="rows in all">{formatCount(census.visits)}</Fact>
        <Fact name="optimizer steps" warn={steps.planned !== steps.real}>
          {formatCount(steps.real)}{' '}
          <small>{steps.planned === steps.real ? '= planned' : `planned ${formatCount(steps.planned)}`}</small>
        </Fact>
        <Fact name="rows a step" warn={other}>
          {formatCount(census.effectiveBatch)} {other && <small>not {formatCount(wished)}</small>}
        </Fact>
        <Fact name="warm-up">{formatCounted(census.warmupSteps, 'step')}</Fact>
        <Fact name="checkpoints">
          <span
            title={checkpoints.map(({ name, afterRows }) => `${name} after ${formatCount(afterRows)} rows`).join('\n')}
          >
            {formatCount(saved)} {final && <small>+ final</small>}
          </span>
        </Fact>
        <Fact name="held-out">
          {heldOut === undefined ? (
            'none'
          ) : (
            <>
              {formatCount(heldOut.rows)} <small>rows, {heldOut.hash.slice(0, 4)}</small>
            </>
          )}
        </Fact>
        <Fact name="LoRA weights">{trainable === null ? missing : formatShort(trainable)}</Fact>
        <Fact name="epochs begun">
          {formatCount(census.epochsBegun)} <small>of {census.epochs}</small>
        </Fact>
      </dl>
    </Section>
  );
}
