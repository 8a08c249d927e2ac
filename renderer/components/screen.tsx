/**
 * Frame of a screen: its head (44 px, with the h1), a row of tools under it, then regions that scroll by themselves; the page never does. `title` is the h1
 * and the window's title; a screen whose h1 is more than words leaves it out, puts its own <h1> into `head`, and names the window with `windowTitle`.
 */
import type { ReactNode } from 'react';
import { useWindowTitle } from '../navigation/window-title.ts';
import { classes } from './classes.ts';
import styles from './screen.module.css';

interface ScreenProps {
  title?: string | undefined;
  windowTitle?: string | undefined;
  /** After the h1. `.grow` (base.css) pushes what follows to the right. */
  head?: ReactNode;
  tools?: ReactNode;
  /** Between head and tools, over the whole width: progress of a run, bands. */
  under?: ReactNode;
  children: ReactNode;
  /** For the body: by default one region; a screen with several makes it a grid. */
  className?: string | undefined;
}

export function Screen({ title, windowTitle, head, tools, under, children, className }: ScreenProps) {
  useWindowTitle(windowTitle ?? title ?? '');
  return (
    <div className={styles.screen}>
      <div className={styles.head}>
        {title !== undefined && <h1 tabIndex={-1}>{title}</h1>}
        {head}
      </div>
      {under}
      {tools !== undefined && <div className={styles.tools}>{tools}</div>}
      <div className={classes(styles.body, className)}>{children}</div>
    </div>
  );
}
