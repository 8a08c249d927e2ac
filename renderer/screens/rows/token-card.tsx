/** The token under the cursor. */
import type { TargetTokens } from '../../../main/contract/window/rows.ts';
import { formatCount } from '../../format/numbers.ts';
import { maskWords } from './mask-view.ts';
import { tokenPieces } from './token-text.ts';
import styles from './row.module.css';

interface TokenCardProps {
  tokens: TargetTokens;
  index: number;
  isFallback: boolean;
}

export function TokenCard({ tokens, index, isFallback }: TokenCardProps) {
  const first = tokens.supervised.indexOf(1);
  const of = tokens.ids.length - first;
  const isPrompt = index < first;
  const [start = -1, end = -1] = [tokens.starts[index], tokens.ends[index]];
  const field = tokens.fields[tokens.field[index] ?? 255];
  const facts: [string, string][] = [
    [
      'Token',
      isPrompt ? `${first - index} before the target` : `${formatCount(index - first + 1)} of ${formatCount(of)}`,
    ],
    ['Id', String(tokens.ids[index] ?? '')],
    ['Characters', start < 0 ? 'not of the target' : end - start === 1 ? String(start + 1) : `${start + 1} to ${end}`],
    ['Field', field ?? 'none'],
    ['Mask', maskWords(tokens, index, isFallback)],
  ];
  return (
    <section aria-label="Token" className={styles.card}>
      <h2 className={styles.cardText}>
        {tokenPieces(tokens.texts[index] ?? '')
          .map(({ text }) => text)
          .join('')}
      </h2>
      <dl className={styles.facts}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {tokens.texts[index] === '' && (
        <p className="note third">A part of the character that stands at an earlier token.</p>
      )}
    </section>
  );
}
