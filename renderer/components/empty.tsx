/** Nothing to show, and why; what to do about it as children. */
import type { ReactNode } from 'react';
import styles from './empty.module.css';

export function Empty({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <p className={styles.title}>{title}</p>
      {children !== undefined && <div className={styles.more}>{children}</div>}
    </div>
  );
}
