/** A key as it is printed on a keyboard. `bare`: inside a button, without a frame. */
import { classes } from './classes.ts';
import styles from './kbd.module.css';

const printed: Readonly<Record<string, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
};

/** `Ctrl+Shift+ArrowLeft` is ['Ctrl', 'Shift', '←']. */
export const printedKeys = (keys: string): string[] =>
  keys === '+' ? ['+'] : keys.split('+').map((key) => printed[key] ?? key);

export function Kbd({ keys, bare = false }: { keys: string; bare?: boolean }) {
  return (
    <span className={styles.keys}>
      {printedKeys(keys).map((key) => (
        <kbd key={key} className={classes(styles.key, bare && styles.bare)}>
          {key}
        </kbd>
      ))}
    </span>
  );
}
