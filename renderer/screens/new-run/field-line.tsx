/** A line of the form: name, control, meaning, and under them what is wrong. Where it differs from its default a bar at the left and the default say so. */
import type { ReactNode } from 'react';
import { classes } from '../../components/classes.ts';
import { fieldId, problemsId, useFieldProblems } from './form.ts';
import { ProblemList } from './problem-list.tsx';
import styles from './new-run.module.css';

interface FieldLineProps {
  name: string;
  label: string;
  children: ReactNode;
  /** Words after the control. */
  meaning?: ReactNode;
  /** In words, where the value is another. */
  changedFrom?: string | undefined;
  wide?: boolean | undefined;
  /** The control is a group that names itself. */
  group?: boolean | undefined;
  /** Between the control and the problems. */
  below?: ReactNode;
}

export function FieldLine(props: FieldLineProps) {
  const { name, label, children, meaning, changedFrom, wide = false, group = false, below } = props;
  const problems = useFieldProblems(name);
  const changed = changedFrom !== undefined;
  return (
    <div className={classes(styles.line, wide && styles.wide, changed && styles.changed)} data-field={name}>
      {group ? (
        <span className={styles.label}>{label}</span>
      ) : (
        <label className={styles.label} htmlFor={fieldId(name)}>
          {label}
        </label>
      )}
      <div className={styles.control}>
        {children}
        {(changed || meaning !== undefined) && (
          <span className={styles.meaning} title={typeof meaning === 'string' ? meaning : undefined}>
            {changed && <span className={styles.default}>default {changedFrom}</span>}
            {changed && meaning !== undefined && ' · '}
            {meaning}
          </span>
        )}
        {below}
        {problems.length > 0 && (
          <div className={styles.problems} id={problemsId(name)}>
            <ProblemList problems={problems} />
          </div>
        )}
      </div>
    </div>
  );
}
