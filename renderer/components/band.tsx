/** A bar over the whole width on top of a screen: something that holds for all below it. Actions stand at its right. */
import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import { Icon } from './icon.tsx';
import styles from './band.module.css';

interface BandProps {
  kind: 'bad' | 'warning';
  children: ReactNode;
  actions?: ReactNode;
  /** Read out when it appears. */
  live?: boolean | undefined;
}

export function Band({ kind, children, actions, live = false }: BandProps) {
  return (
    <div className={classes(styles.band, styles[kind])}>
      <Icon name="warning" size={13} />
      <div className={styles.words} role={live ? 'status' : undefined}>
        {children}
      </div>
      {actions}
    </div>
  );
}
