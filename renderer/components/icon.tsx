/** Marks of 12 x 12, drawn in the colour of the text around them. A mark never stands for a word: screen readers do not hear it. */
import type { ReactNode } from 'react';
import styles from './icon.module.css';

const stroke = (d: string, width: number, dash?: string): ReactNode => (
  <path d={d} fill="none" stroke="currentColor" strokeWidth={width} strokeDasharray={dash} />
);

const drawings = {
  waiting: (
    <circle cx="6" cy="6" r="4.2" fill="none" stroke="currentColor" strokeWidth="1.5" strokeDasharray="2.2 1.6" />
  ),
  play: <path d="M3 1.5v9l7-4.5z" fill="currentColor" />,
  pause: stroke('M3 2v8M9 2v8', 2),
  elsewhere: stroke('M1 8a7 7 0 0 1 10 0M3.2 9.6a4 4 0 0 1 5.6 0', 1.4),
  check: stroke('M1.5 6.5l3 3 6-7', 1.6),
  square: <path d="M2.5 2.5h7v7h-7z" fill="currentColor" />,
  stopping: (
    <>
      <path d="M4 4h4v4H4z" fill="currentColor" />
      <circle cx="6" cy="6" r="5" fill="none" stroke="currentColor" strokeWidth="1.2" strokeDasharray="2.2 1.6" />
    </>
  ),
  warning: (
    <>
      {stroke('M6 1.2L11.3 10.6H.7z', 1.3)}
      {stroke('M6 4.4v3.2M6 8.6v.9', 1.3)}
    </>
  ),
  cross: stroke('M2 2l8 8M10 2l-8 8', 1.8),
  imported: stroke('M6 1v6M3.2 4.6L6 7.4l2.8-2.8M1.5 10.5h9', 1.4),
  info: (
    <>
      <circle cx="6" cy="6" r="4.8" fill="none" stroke="currentColor" strokeWidth="1.2" />
      {stroke('M6 5.2v3.4M6 3.2v1', 1.3)}
    </>
  ),
  minus: stroke('M2 6h8', 1.6),
  plus: stroke('M2 6h8M6 2v8', 1.6),
  down: stroke('M2.5 4.5L6 8l3.5-3.5', 1.4),
  up: stroke('M2.5 7.5L6 4l3.5 3.5', 1.4),
  left: stroke('M7.5 2.5L4 6l3.5 3.5', 1.4),
  right: stroke('M4.5 2.5L8 6l-3.5 3.5', 1.4),
  folder: stroke('M1.2 9.8V2.6h3.3l1.2 1.3h5.1v5.9z', 1.2),
  search: (
    <>
      <circle cx="5" cy="5" r="3.3" fill="none" stroke="currentColor" strokeWidth="1.3" />
      {stroke('M7.5 7.5l3.2 3.2', 1.4)}
    </>
  ),
  copy: stroke('M4 4h6.5v6.5H4zM2 8V1.5h6.5', 1.2),
  theme: (
    <>
      <circle cx="6" cy="6" r="4.6" fill="none" stroke="currentColor" strokeWidth="1.2" />
      <path d="M6 1.4a4.6 4.6 0 0 1 0 9.2z" fill="currentColor" />
    </>
  ),
} as const satisfies Record<string, ReactNode>;

export type IconName = keyof typeof drawings;
export const iconNames = Object.keys(drawings) as IconName[];

export function Icon({ name, size = 12 }: { name: IconName; size?: number }) {
  return (
    <svg className={styles.icon} viewBox="0 0 12 12" width={size} height={size} aria-hidden="true" focusable="false">
      {drawings[name]}
    </svg>
  );
}
