/** One of a few, side by side: a group of radio buttons. Tab reaches it once; arrows, Home and End move and choose. */
import { useRef, type KeyboardEvent, type ReactNode } from 'react';
import { classes } from './classes.ts';
import { Kbd } from './kbd.tsx';
import styles from './segmented.module.css';

export interface SegmentedOption<Value extends string> {
  value: Value;
  label: ReactNode;
  keys?: string | undefined;
  disabledReason?: string | undefined;
}

interface SegmentedProps<Value extends string> {
  label: string;
  options: readonly SegmentedOption<Value>[];
  /** null: none of them. */
  value: Value | null;
  onChange: (value: Value) => void;
  describedBy?: string | undefined;
}

export function Segmented<Value extends string>(props: SegmentedProps<Value>) {
  const { label, options, value, onChange, describedBy } = props;
  const group = useRef<HTMLDivElement>(null);
  const usable = options.filter((option) => option.disabledReason === undefined);
  const entry = usable.some((option) => option.value === value) ? value : usable[0]?.value;

  const move = (event: KeyboardEvent, from: Value): void => {
    const at = usable.findIndex((option) => option.value === from);
    const to = {
      ArrowRight: (at + 1) % usable.length,
      ArrowDown: (at + 1) % usable.length,
      ArrowLeft: (at - 1 + usable.length) % usable.length,
      ArrowUp: (at - 1 + usable.length) % usable.length,
      Home: 0,
      End: usable.length - 1,
    }[event.key];
    const next = to === undefined ? undefined : usable[to];
    if (!next || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    onChange(next.value);
    group.current?.querySelector<HTMLElement>(`[data-value="${CSS.escape(next.value)}"]`)?.focus();
  };

  return (
    <div ref={group} role="radiogroup" aria-label={label} aria-describedby={describedBy} className={styles.group}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          role="radio"
          data-value={option.value}
          aria-checked={option.value === value}
          aria-disabled={option.disabledReason !== undefined || undefined}
          title={option.disabledReason}
          tabIndex={option.value === entry ? 0 : -1}
          className={classes(styles.option, option.value === value && styles.on)}
          onClick={() => option.disabledReason === undefined && onChange(option.value)}
          onKeyDown={(event) => move(event, option.value)}
        >
          {option.label}
          {option.keys !== undefined && <Kbd keys={option.keys} bare />}
        </button>
      ))}
    </div>
  );
}
