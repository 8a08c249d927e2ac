/**
 * A button. `keys` only shows the key beside the word; that it acts is the screen's list of keys (useKeys). With `disabledReason` it does nothing, is drawn
 * dashed and says why to everybody: it keeps the focus order, so that the reason can be reached.
 */
import { useId, type ReactNode, type Ref } from 'react';
import { classes } from './classes.ts';
import { Kbd } from './kbd.tsx';
import styles from './button.module.css';

export interface ButtonProps {
  children: ReactNode;
  kind?: 'plain' | 'primary' | 'danger' | 'text' | undefined;
  keys?: string | undefined;
  disabledReason?: string | null | undefined;
  onPress?: (() => void) | undefined;
  type?: 'button' | 'submit' | undefined;
  /** Name, where the text is not enough ("Remove" of which folder). */
  label?: string | undefined;
  /** Held down: a switch. */
  pressed?: boolean | undefined;
  expanded?: boolean | undefined;
  title?: string | undefined;
  small?: boolean | undefined;
  autoFocus?: boolean | undefined;
  ref?: Ref<HTMLButtonElement> | undefined;
}

export function Button({ ref, ...props }: ButtonProps) {
  const { children, kind = 'plain', keys, disabledReason, onPress, type = 'button', label, pressed, expanded } = props;
  const reason = useId();
  const off = disabledReason !== undefined && disabledReason !== null;
  return (
    <>
      <button
        ref={ref}
        type={type}
        className={classes(styles.button, styles[kind], off && styles.off, props.small && styles.small)}
        aria-label={label}
        aria-disabled={off || undefined}
        aria-describedby={off ? reason : undefined}
        aria-pressed={pressed}
        aria-expanded={expanded}
        title={off ? disabledReason : props.title}
        autoFocus={props.autoFocus}
        data-autofocus={props.autoFocus || undefined}
        onClick={(event) => {
          if (off) event.preventDefault();
          else onPress?.();
        }}
      >
        {children}
        {keys !== undefined && <Kbd keys={keys} bare />}
      </button>
      {off && (
        <span id={reason} hidden>
          {disabledReason}
        </span>
      )}
    </>
  );
}
