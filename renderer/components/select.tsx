/** One of many: the browser's own list, so that typing, arrows and the system's look of the open list are as everywhere. */
import { classes } from './classes.ts';
import type { FieldState } from './text-input.tsx';
import styles from './field.module.css';

export interface SelectOption {
  value: string;
  label: string;
  disabled?: boolean | undefined;
  /** Options of one group stand together under its name. */
  group?: string | undefined;
}

interface SelectProps {
  label: string;
  value: string;
  options: readonly SelectOption[];
  onChange: (value: string) => void;
  state?: FieldState | undefined;
  describedBy?: string | undefined;
  id?: string | undefined;
  mono?: boolean | undefined;
  width?: number | undefined;
}

export function Select(props: SelectProps) {
  const { label, value, options, onChange, state = 'plain', describedBy, id, mono = false, width } = props;
  const groups = [...new Set(options.map((option) => option.group))];
  const listed = (group: string | undefined) =>
    options
      .filter((option) => option.group === group)
      .map((option) => (
        <option key={option.value} value={option.value} disabled={option.disabled}>
          {option.label}
        </option>
      ));
  return (
    <span
      className={classes(styles.frame, styles[state], mono && styles.mono, styles.selects)}
      style={width === undefined ? undefined : { width }}
    >
      <select
        id={id}
        className={styles.select}
        aria-label={id === undefined ? label : undefined}
        aria-describedby={describedBy}
        aria-invalid={state === 'error' || undefined}
        disabled={state === 'fixed'}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      >
        {groups.map((group) =>
          group === undefined ? (
            listed(group)
          ) : (
            <optgroup key={group} label={group}>
              {listed(group)}
            </optgroup>
          ),
        )}
      </select>
    </span>
  );
}
