/** A part of a screen under a heading, parted from the next by a hairline. `note` stands beside the heading, `actions` at its right. */
import { useId, type ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './section.module.css';

interface SectionProps {
  title: ReactNode;
  note?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  /** The last one, or one in a region that ends with its own line. */
  noLine?: boolean | undefined;
  /** 16 px at both sides and 10 below; without it the content goes to the edges (tables). */
  padded?: boolean | undefined;
  className?: string | undefined;
}

export function Section({ title, note, actions, children, noLine, padded = false, className }: SectionProps) {
  const heading = useId();
  return (
    <section aria-labelledby={heading} className={classes(styles.section, noLine && styles.noLine, className)}>
      <div className={styles.head}>
        <h2 id={heading}>{title}</h2>
        {note !== undefined && <span className={styles.note}>{note}</span>}
        {actions !== undefined && <span className={styles.actions}>{actions}</span>}
      </div>
      {padded ? <div className={styles.padded}>{children}</div> : children}
    </section>
  );
}
