/** When there is nothing else to show: what is wrong, where, and what to do about it, with the ways on. */
import type { ReactNode } from 'react';
import { Icon } from '../components/icon.tsx';
import { useWindowTitle } from '../navigation/window-title.ts';
import styles from './problem-page.module.css';

interface ProblemPageProps {
  title: string;
  message: ReactNode;
  hint?: ReactNode;
  actions: ReactNode;
  children?: ReactNode;
}

export function ProblemPage({ title, message, hint, actions, children }: ProblemPageProps) {
  useWindowTitle(title);
  return (
    <div className={styles.page}>
      <div className={styles.inside}>
        <h1 tabIndex={-1}>
          <Icon name="warning" size={16} /> {title}
        </h1>
        <p className={styles.message}>{message}</p>
        {hint !== undefined && hint !== null && <p className={styles.hint}>{hint}</p>}
        <div className={styles.actions}>{actions}</div>
        {children}
      </div>
    </div>
  );
}
