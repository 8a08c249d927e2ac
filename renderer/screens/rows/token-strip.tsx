/** The tokens one after the other, each on its mask's line. Spaces and line breaks are shown, since they are tokens too. */
import { useEffect, useRef } from 'react';
import type { TargetTokens } from '../../../main/contract/window/rows.ts';
import { classes } from '../../components/classes.ts';
import { lookClass, tokenLook, type MaskView } from './mask-view.ts';
import { tokenPieces } from './token-text.ts';
import styles from './row.module.css';

interface TokenStripProps {
  tokens: TargetTokens;
  view: MaskView;
  isFallback: boolean;
  cursor: number;
  onCursor: (index: number) => void;
}

export function TokenStrip({ tokens, view, isFallback, cursor, onCursor }: TokenStripProps) {
  const strip = useRef<HTMLDivElement>(null);
  useEffect(() => {
    strip.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [cursor]);
  return (
    <div
      ref={strip}
      role="listbox"
      aria-label="Tokens"
      tabIndex={0}
      aria-activedescendant={`token-${cursor}`}
      className={classes('scroll', styles.strip)}
    >
      {tokens.texts.map((text, index) => {
        const look = tokenLook(tokens, index, view);
        return (
          <span
            key={index}
            id={`token-${index}`}
            role="option"
            aria-selected={index === cursor}
            className={classes(styles.token, styles[lookClass(look, isFallback)], index === cursor && styles.current)}
            onClick={() => onCursor(index)}
          >
            {tokenPieces(text).map(({ text: piece, isSign }, at) =>
              isSign ? (
                <span key={at} className={styles.sign}>
                  {piece}
                </span>
              ) : (
                piece
              ),
            )}
          </span>
        );
      })}
    </div>
  );
}
