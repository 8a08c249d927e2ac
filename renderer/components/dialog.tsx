/**
 * Something that has to be answered or left before going on: the browser's own modal dialog, which keeps the focus inside and gives it back, under our look.
 * Keys of the screen behind are off; Escape leaves.
 */
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { useKeys, type KeyBinding } from '../navigation/keys.ts';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import styles from './dialog.module.css';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** At the foot, right. The first in reading order is not the focused one by itself: mark that with autoFocus. */
  actions?: ReactNode;
  /** Pixels; 480 by default. */
  width?: number | undefined;
  /** Keys beside Escape. */
  keys?: readonly KeyBinding[] | undefined;
  /** Title is heard, not seen; no close button (the palette). */
  bare?: boolean | undefined;
  /** Not in the middle but near the top. */
  high?: boolean | undefined;
}

export function Dialog(props: DialogProps) {
  const { title, onClose, children, actions, width = 480, keys = [], bare = false, high = false } = props;
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useKeys(title, [...keys, { keys: 'Escape', label: 'leave', run: onClose }], { modal: true });
  useEffect(() => {
    const dialog = element.current;
    if (!dialog) return;
    const before = document.activeElement;
    if (!dialog.open) dialog.showModal();
    // React's autoFocus came before the dialog was open, and did nothing.
    const wished = dialog.querySelector<HTMLElement>('[data-autofocus]');
    wished?.focus();
    return () => {
      dialog.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      className={classes(styles.dialog, high && styles.high)}
      style={{ width }}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === element.current && onClose()}
    >
      <div className={styles.inside}>
        <div className={bare ? 'unseen' : styles.head}>
          <h2 id={heading}>{title}</h2>
          {!bare && (
            <Button kind="text" keys="Escape" onPress={onClose}>
              Close
            </Button>
          )}
        </div>
        <div className={bare ? undefined : styles.body}>{children}</div>
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </div>
    </dialog>
  );
}
