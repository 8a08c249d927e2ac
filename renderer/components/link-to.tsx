/** A link inside the window: a real one (it can be opened in another tab, copied, followed by keyboard), but without loading the page anew. */
import type { ReactNode } from 'react';
import { go } from '../navigation/address.ts';
import { classes } from './classes.ts';
import { Kbd } from './kbd.tsx';
import styles from './button.module.css';

interface LinkProps {
  to: string;
  children: ReactNode;
  /** Looks like a button. */
  as?: 'link' | 'plain' | 'primary' | 'text' | undefined;
  keys?: string | undefined;
  className?: string | undefined;
  current?: boolean | undefined;
  title?: string | undefined;
  label?: string | undefined;
}

export function LinkTo({ to, children, as = 'link', keys, className, current, title, label }: LinkProps) {
  return (
    <a
      href={to}
      className={classes(as !== 'link' && styles.button, as !== 'link' && styles[as], className)}
      aria-current={current ? 'page' : undefined}
      aria-label={label}
      title={title}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0) return;
        event.preventDefault();
        go(to);
      }}
    >
      {children}
      {keys !== undefined && <Kbd keys={keys} bare />}
    </a>
  );
}
