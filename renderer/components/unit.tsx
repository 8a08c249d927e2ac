/** The unit after a number: smaller and greyer than it. */
import type { ReactNode } from 'react';
import styles from './unit.module.css';

export function Unit({ children }: { children: ReactNode }) {
  return <span className={styles.unit}>{children}</span>;
}
