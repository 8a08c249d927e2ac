/** One part of the prompt: its name and first line, and its text when it is open. While one searches, parts with hits are open. */
import type { ReactNode } from 'react';
import type { ShownImage } from '../../../main/contract/window/rows.ts';
import { Icon } from '../../components/icon.tsx';
import { formatCount, formatCounted } from '../../format/numbers.ts';
import { firstLine, isActedLine, linesAround, type Fold, type Hit, type PromptPart } from './prompt-sections.ts';
import styles from './row.module.css';

interface PromptPartProps {
  part: PromptPart;
  fold: Fold;
  acted: readonly number[];
  image: ShownImage | null;
  hits: readonly Hit[];
  current: Hit | null;
  onFold: (fold: Fold) => void;
}

export function PromptPartView({ part, fold, acted, image, hits, current, onFold }: PromptPartProps) {
  if (part.image !== null)
    return (
      <div className={styles.partHead}>
        <span className={styles.partMark} />
        <span className={styles.partName}>image</span>
        <span className={styles.partCount}>
          {image?.tokens === null || !image ? '' : formatCounted(image.tokens, 'token')}
        </span>
        <span className="second ellipsis">{image?.name}</span>
      </div>
    );
  const shown: Fold = hits.length > 0 ? 'open' : fold;
  const characters = Array.from(part.text).length;
  return (
    <div className={styles.part}>
      <button
        type="button"
        className={styles.partHead}
        aria-expanded={shown !== 'closed'}
        onClick={() => onFold(shown === 'open' ? 'closed' : 'open')}
      >
        <span className={styles.partMark}>
          <Icon name={shown === 'closed' ? 'right' : 'down'} size={10} />
        </span>
        <span className={styles.partName}>{part.title}</span>
        <span className={styles.partCount} title={formatCounted(characters, 'character')}>
          {formatCount(characters)} chars
        </span>
        <span className="second ellipsis grow">
          {hits.length > 0 ? formatCounted(hits.length, 'hit') : shown === 'closed' ? firstLine(part.text) : ''}
        </span>
      </button>
      {shown === 'open' && <pre className={styles.partText}>{marked(part.text, 0, hits, current, acted)}</pre>}
      {shown === 'around' && <Around text={part.text} acted={acted} onOpen={() => onFold('open')} />}
    </div>
  );
}

/** The acted element's lines and their neighbours; what is between them is counted. */
function Around({ text, acted, onOpen }: { text: string; acted: readonly number[]; onOpen: () => void }) {
  const lines = text.split('\n');
  const ranges = linesAround(text, acted);
  const more = (from: number, to: number): ReactNode =>
    to > from && (
      <button key={`more ${from}`} type="button" className={styles.more} onClick={onOpen}>
        … {formatCounted(to - from, 'more line')}
      </button>
    );
  return (
    <div className={styles.around}>
      {ranges.map(({ from, to }, index) => (
        <div key={from}>
          {more(ranges[index - 1]?.to ?? 0, from)}
          <pre className={styles.partText}>{marked(lines.slice(from, to).join('\n'), 0, [], null, acted)}</pre>
        </div>
      ))}
      {more(ranges.at(-1)?.to ?? 0, lines.length)}
    </div>
  );
}

/** Text with its hits and the lines of acted elements marked. */
function marked(
  text: string,
  base: number,
  hits: readonly Hit[],
  current: Hit | null,
  acted: readonly number[],
): ReactNode[] {
  let start = base;
  return text.split('\n').map((line, index, all) => {
    const from = start;
    start += line.length + 1;
    const inside = hits.filter((hit) => hit.start < from + line.length && hit.end > from);
    const pieces: ReactNode[] = [];
    let done = from;
    for (const hit of inside) {
      const [left, right] = [Math.max(hit.start, from), Math.min(hit.end, from + line.length)];
      pieces.push(
        text.slice(done - base, left - base),
        <mark key={hit.start} className={styles.hit} data-current={hit === current ? '' : undefined}>
          {text.slice(left - base, right - base)}
        </mark>,
      );
      done = right;
    }
    pieces.push(text.slice(done - base, from - base + line.length));
    if (index < all.length - 1) pieces.push('\n');
    return isActedLine(line, acted) ? (
      <span key={from} className={styles.acted}>
        {pieces}
      </span>
    ) : (
      <span key={from}>{pieces}</span>
    );
  });
}
