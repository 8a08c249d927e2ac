/** At work, and at what. Appears only after a moment: what is quick should not flicker. */
import { Icon } from './icon.tsx';
import styles from './spinner.module.css';

export function Spinner({ label }: { label: string }) {
  return (
    <span className={styles.spinner} role="status">
      <span className={styles.turning}>
        <Icon name="waiting" />
      </span>
      {label}
    </span>
  );
}
