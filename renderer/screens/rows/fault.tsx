/** What went wrong, where, and what to do about it. */
import type { ReactNode } from 'react';
import { Say } from '../../components/say.tsx';
import styles from './rows.module.css';

interface FaultProps {
  error: { code: string; message: string; hint: string | null };
  actions?: ReactNode;
}

const sentence = (text: string): string => {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
};

export function Fault({ error, actions }: FaultProps) {
  const isNote = error.code === 'cancelled' || error.code === 'no-model';
  return (
    <div className={styles.fault}>
      <Say kind={isNote ? 'info' : 'bad'} title={sentence(error.message)} live>
        {error.hint}
      </Say>
      {actions !== undefined && <div className="line">{actions}</div>}
    </div>
  );
}
