/**
 * A field of one line. `state` is how it stands: changed from its default (bar at the left), fixed by another field (dashed, cannot be written), warning,
 * error. What is wrong stands under the field; give its id as `describedBy`. Enter and keys go to `onEnter` and `onKeyDown`.
 */
import type { KeyboardEvent, ReactNode, Ref } from 'react';
import { classes } from './classes.ts';
import styles from './field.module.css';

export type FieldState = 'plain' | 'changed' | 'fixed' | 'warning' | 'error';

export interface TextInputProps {
  /** Name of the field; with `id` a <label htmlFor> names it instead. */
  label: string;
  value: string;
  onChange: (value: string) => void;
  state?: FieldState | undefined;
  describedBy?: string | undefined;
  mono?: boolean | undefined;
  /** Right-aligned and narrow; still text, so that 1e-4 can be written. */
  numeric?: boolean | undefined;
  placeholder?: string | undefined;
  suffix?: ReactNode;
  id?: string | undefined;
  type?: 'text' | 'search' | undefined;
  autoFocus?: boolean | undefined;
  /** Pixels; otherwise as wide as there is room (numeric: 96). */
  width?: number | undefined;
  onEnter?: (() => void) | undefined;
  onBlur?: (() => void) | undefined;
  onKeyDown?: ((event: KeyboardEvent<HTMLInputElement>) => void) | undefined;
  ref?: Ref<HTMLInputElement> | undefined;
}

export function TextInput({ ref, ...props }: TextInputProps) {
  const { label, value, onChange, state = 'plain', describedBy, mono = false, numeric = false, suffix, id } = props;
  return (
    <span
      className={classes(styles.frame, styles[state], mono && styles.mono, numeric && styles.numeric)}
      style={props.width === undefined ? undefined : { width: props.width }}
    >
      <input
        ref={ref}
        id={id}
        type={props.type ?? 'text'}
        className={styles.input}
        aria-label={id === undefined ? label : undefined}
        aria-describedby={describedBy}
        aria-invalid={state === 'error' || undefined}
        readOnly={state === 'fixed'}
        value={value}
        placeholder={props.placeholder}
        spellCheck={false}
        autoComplete="off"
        autoFocus={props.autoFocus}
        data-autofocus={props.autoFocus || undefined}
        onChange={(event) => onChange(event.target.value)}
        onBlur={props.onBlur}
        onKeyDown={(event) => {
          props.onKeyDown?.(event);
          if (event.key === 'Enter' && !event.ctrlKey && !event.nativeEvent.isComposing) props.onEnter?.();
        }}
      />
      {suffix !== undefined && <span className={styles.suffix}>{suffix}</span>}
    </span>
  );
}
