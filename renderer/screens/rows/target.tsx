/** What the model is taught: the target's tokens with their masks, the token under the cursor, tokens by field, and the raw text. */
import { useState } from 'react';
import type { RowDetail, TargetTokens } from '../../../main/contract/window/rows.ts';
import { Button } from '../../components/button.tsx';
import { copyAndSay } from '../../components/copy-text.ts';
import { Say } from '../../components/say.tsx';
import { Section } from '../../components/section.tsx';
import { Segmented } from '../../components/segmented.tsx';
import { formatCounted } from '../../format/numbers.ts';
import { setQuery, useAddress } from '../../navigation/address.ts';
import { useKeys } from '../../navigation/keys.ts';
import { FieldTable } from './field-table.tsx';
import { lookClass, maskCounts, maskViews, nextView, type MaskView } from './mask-view.ts';
import { ModelBar } from './model-bar.tsx';
import { TokenCard } from './token-card.tsx';
import { TokenStrip } from './token-strip.tsx';
import styles from './row.module.css';

export function Target({ row }: { row: RowDetail }) {
  return (
    <div className={styles.target}>
      {row.tokens ? <Tokens row={row} tokens={row.tokens} /> : <ModelBar row={row} />}
      <RawTarget row={row} />
    </div>
  );
}

function Tokens({ row, tokens }: { row: RowDetail; tokens: TargetTokens }) {
  const { query } = useAddress();
  const view = maskViews.find((each) => each === query['mask']) ?? 'all';
  const setView = (next: MaskView): void => setQuery({ mask: next === 'all' ? undefined : next });
  const first = tokens.supervised.indexOf(1);
  const wanted = Number(query['token'] ?? Number.NaN);
  const [cursor, setCursor] = useState(
    Number.isSafeInteger(wanted) && wanted >= 1 && first + wanted - 1 < tokens.ids.length ? first + wanted - 1 : first,
  );
  const move = (to: number): void => setCursor(Math.max(0, Math.min(tokens.ids.length - 1, to)));
  useKeys('Target', [
    { keys: 'ArrowLeft', shown: ['←', '→'], label: 'token', run: () => move(cursor - 1) },
    { keys: 'ArrowRight', label: 'next token', run: () => move(cursor + 1), minor: true },
    { keys: 'Home', label: 'first token of the target', run: () => move(first), minor: true },
    { keys: 'End', label: 'last token', run: () => move(tokens.ids.length - 1), minor: true },
    { keys: 'M', label: 'mask', run: () => setView(nextView(view)) },
  ]);
  const counts = maskCounts(tokens);
  const isFallback = row.fallback !== null;
  return (
    <>
      <section aria-label="Target as tokens" className={styles.tokens}>
        <div className={styles.sectionHead}>
          <h2>Target</h2>
          <span className="second nowrap">
            {formatCounted(counts.supervised, 'token')}, {counts.action} in the action mask
          </span>
          <ModelBar row={row} />
          <span className="grow" />
          <span aria-hidden="true">mask</span>
          <Segmented
            label="Mask"
            options={maskViews.map((value) => ({ value, label: value }))}
            value={view}
            onChange={setView}
          />
        </div>
        {row.fallback && (
          <div className={styles.fallback}>
            <Say kind="warning" title={`The action mask fell back to all tokens (${row.fallback.reason}).`}>
              {row.fallback.meaning}
            </Say>
          </div>
        )}
        <TokenStrip tokens={tokens} view={view} isFallback={isFallback} cursor={cursor} onCursor={setCursor} />
        <Legend view={view} isFallback={isFallback} />
      </section>
      <div className={styles.lower}>
        <FieldTable tokens={tokens} isFallback={isFallback} />
        <TokenCard tokens={tokens} index={cursor} isFallback={isFallback} />
      </div>
    </>
  );
}

function Legend({ view, isFallback }: { view: MaskView; isFallback: boolean }) {
  const entry = (look: string | undefined, text: string) => (
    <li className="line">
      <span className={`${styles.sample ?? ''} ${look ?? ''}`} />
      {text}
    </li>
  );
  const action = styles[lookClass('action', isFallback)];
  return (
    <ul className={styles.legend} aria-label="Legend">
      {view === 'all' && entry(styles['lookSupervised'], 'supervised')}
      {view !== 'difference' &&
        entry(action, isFallback ? 'supervised and action, by fallback' : 'supervised and action')}
      {view === 'action' && entry(undefined, 'supervised, outside the action mask')}
      {view === 'difference' && entry(styles['lookChanged'], 'carries CE under ce_on all, not under ce_on action')}
    </ul>
  );
}

function RawTarget({ row }: { row: RowDetail }) {
  return (
    <Section
      title="Text"
      note={formatCounted(Array.from(row.target).length, 'character')}
      noLine
      actions={
        <>
          <Button small onPress={() => void copyAndSay(row.target, 'the target')}>
            Copy target
          </Button>
          <Button small onPress={() => void copyAndSay(row.file, 'file and line')} title={row.file}>
            Copy file and line
          </Button>
        </>
      }
    >
      <pre className={styles.raw}>{row.target}</pre>
      <p className={styles.file}>{row.file}</p>
    </Section>
  );
}
