/** Something said in place: what and where in `title`, what to do after it. `live`: read out when it appears. */
import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import { Icon, type IconName } from './icon.tsx';
import styles from './say.module.css';

export type SayKind = 'bad' | 'warning' | 'info' | 'good';

export const sayIcons: Readonly<Record<SayKind, IconName>> = {
  bad: 'cross',
  warning: 'warning',
  info: 'info',
  good: 'check',
};
/** What the mark says to those who do not see it. */
export const sayWords: Readonly<Record<SayKind, string>> = {
  bad: 'Problem: ',
  warning: 'Warning: ',
  info: '',
  good: '',
};

interface SayProps {
  kind: SayKind;
  title?: ReactNode;
  children?: ReactNode;
  id?: string | undefined;
  live?: boolean | undefined;
}

export function Say({ kind, title, children, id, live = false }: SayProps) {
  return (
    <div id={id} className={classes(styles.say, styles[kind])} role={live ? 'status' : undefined}>
      <Icon name={sayIcons[kind]} />
      <div className={styles.words}>
        <span className="unseen">{sayWords[kind]}</span>
        {title !== undefined && <b>{title}</b>} {children}
      </div>
    </div>
  );
}
