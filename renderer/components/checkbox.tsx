/** A check box: the browser's own, drawn by us. `hue` 1 to 8: takes the colour of a run when ticked. */
import { useEffect, useRef, type CSSProperties, type ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './checkbox.module.css';

interface CheckboxProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
  label: ReactNode;
  hue?: number | undefined;
  indeterminate?: boolean | undefined;
  /** The label is only heard, not seen. */
  hideLabel?: boolean | undefined;
  disabled?: boolean | undefined;
  describedBy?: string | undefined;
}

export function Checkbox(props: CheckboxProps) {
  const { checked, onChange, label, hue, indeterminate = false, hideLabel = false, disabled, describedBy } = props;
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current) input.current.indeterminate = indeterminate;
  }, [indeterminate]);
  return (
    <label className={classes(styles.label, disabled && styles.disabled)}>
      <input
        ref={input}
        type="checkbox"
        className={styles.box}
        checked={checked}
        disabled={disabled}
        aria-describedby={describedBy}
        style={hue === undefined ? undefined : ({ '--hue': `var(--id-${((hue - 1) % 8) + 1})` } as CSSProperties)}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span className={hideLabel ? 'unseen' : undefined}>{label}</span>
    </label>
  );
}
