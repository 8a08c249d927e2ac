/** Name or note of a run, changed where it stands: press it (or Enter), write, Enter keeps and Escape leaves. What could not be kept stays in the field, with the reason. */
import { useId, useRef, useState } from 'react';
import { call, CallError } from '../../api/client.ts';
import { classes } from '../../components/classes.ts';
import { useRuns } from '../../stores/runs.ts';
import styles from './editable-text.module.css';

interface EditableTextProps {
  run: string;
  field: 'name' | 'note';
  value: string;
  label: string;
  as?: 'h1' | 'span';
  /** Shown when there is no value. */
  placeholder?: string;
  onEditing?: (editing: boolean) => void;
  /** Is being changed from the beginning. */
  begun?: boolean;
}

export function EditableText(props: EditableTextProps) {
  const { run, field, value, label, as = 'span', placeholder = '', onEditing, begun = false } = props;
  const [text, setText] = useState<string | null>(begun ? value : null);
  const [fault, setFault] = useState<string | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const why = useId();
  const leave = (focus: boolean): void => {
    setText(null);
    setFault(null);
    onEditing?.(false);
    if (focus) requestAnimationFrame(() => button.current?.focus());
  };
  const keep = async (focus: boolean): Promise<void> => {
    const wished = (text ?? '').trim();
    if (wished === value || text === null) {
      leave(focus);
      return;
    }
    if (field === 'name' && wished === '') {
      setFault('A run needs a name.');
      return;
    }
    try {
      if (field === 'name') await call('runs.rename', { run, name: wished });
      else await call('runs.note', { run, note: wished });
      useRuns.getState().refresh();
      leave(focus);
    } catch (error) {
      const { message, hint } = CallError.from(error);
      setFault(`${message}${hint === null ? '' : `. ${hint}`}`);
    }
  };
  if (text !== null)
    return (
      <span className={classes(styles.editing, as === 'h1' && styles.large)}>
        {as === 'h1' && <h1 className="unseen">{value}</h1>}
        <input
          className={classes(styles.input, fault !== null && styles.wrong)}
          aria-label={label}
          aria-invalid={fault !== null || undefined}
          aria-describedby={fault === null ? undefined : why}
          value={text}
          maxLength={field === 'name' ? 200 : 4000}
          autoFocus
          spellCheck={false}
          onFocus={(event) => event.target.select()}
          onChange={(event) => setText(event.target.value)}
          onBlur={() => void keep(false)}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing) return;
            if (event.key === 'Enter') void keep(true);
            else if (event.key === 'Escape') leave(true);
            else return;
            event.preventDefault();
            event.stopPropagation();
          }}
        />
        {fault !== null && (
          <span id={why} className={styles.fault} role="alert">
            {fault}
          </span>
        )}
      </span>
    );
  const press = (
    <button
      ref={button}
      type="button"
      className={classes(styles.text, as === 'h1' && styles.large, value === '' && styles.none)}
      title={value === '' ? `Write a ${field}` : `Change the ${field}`}
      aria-label={value === '' ? `Write a ${field}` : undefined}
      onClick={(event) => {
        event.stopPropagation();
        setText(value);
        onEditing?.(true);
      }}
    >
      {value === '' ? placeholder : value}
    </button>
  );
  return as === 'h1' ? (
    <h1 tabIndex={-1} className={styles.heading}>
      {press}
    </h1>
  ) : (
    press
  );
}
