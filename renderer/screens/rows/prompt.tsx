/** The prompt in foldable parts, with a search through all of it. */
import { useEffect, useRef, useState } from 'react';
import type { RowDetail } from '../../../main/contract/window/rows.ts';
import { Kbd } from '../../components/kbd.tsx';
import { TextInput } from '../../components/text-input.tsx';
import { formatCount, formatCounted } from '../../format/numbers.ts';
import { useKeys } from '../../navigation/keys.ts';
import { PromptPartView } from './prompt-part.tsx';
import { actedElements, findHits, firstFold, promptParts, type Fold } from './prompt-sections.ts';
import styles from './row.module.css';

export function Prompt({ row }: { row: RowDetail }) {
  const parts = promptParts(row.messages);
  const acted = actedElements(row.marks);
  const [folds, setFolds] = useState<Readonly<Record<number, Fold>>>({});
  const [wanted, setWanted] = useState('');
  const [current, setCurrent] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const region = useRef<HTMLDivElement>(null);
  const hits = findHits(parts, wanted);
  const at = hits.length === 0 ? -1 : current % hits.length;
  const hit = hits[at];
  useKeys('Prompt', [{ keys: '/', label: 'search in the prompt', run: () => field.current?.select() }]);
  useEffect(() => {
    if (hit) region.current?.querySelector('[data-current]')?.scrollIntoView({ block: 'center' });
  }, [hit?.part, hit?.start, hit]);
  const hitsText =
    wanted.trim() === ''
      ? null
      : hits.length === 0
        ? 'no hit'
        : `${formatCount(at + 1)} of ${formatCount(hits.length)}`;
  return (
    <section aria-label="Prompt" className={styles.prompt}>
      <div className={styles.sectionHead}>
        <h2>Prompt</h2>
        <span className="third">
          {row.totalTokens === null || !row.tokens
            ? ''
            : `${formatCounted(row.totalTokens - count(row.tokens.supervised), 'token')}${row.images.length > 0 ? ' with the images' : ''}`}
        </span>
        <span className="grow" />
        <TextInput
          ref={field}
          type="search"
          label="Search in the prompt"
          placeholder="Search"
          value={wanted}
          width={200}
          onChange={(text) => {
            setWanted(text);
            setCurrent(0);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter')
              setCurrent((at + (event.shiftKey ? hits.length - 1 : 1)) % Math.max(1, hits.length));
            else if (event.key === 'Escape') {
              event.preventDefault();
              setWanted('');
              event.currentTarget.blur();
            }
          }}
          suffix={hitsText === null ? <Kbd keys="/" /> : <span role="status">{hitsText}</span>}
        />
      </div>
      <div ref={region} className={`scroll ${styles.parts}`}>
        {parts.map((part) => {
          const fold = folds[part.id] ?? firstFold(part, acted);
          return (
            <PromptPartView
              key={part.id}
              part={part}
              fold={fold}
              acted={acted}
              image={part.image === null ? null : (row.images[part.image] ?? null)}
              hits={hits.filter((each) => each.part === part.id)}
              current={hit?.part === part.id ? hit : null}
              onFold={(next) => setFolds({ ...folds, [part.id]: next })}
            />
          );
        })}
      </div>
    </section>
  );
}

const count = (ones: Uint8Array): number => ones.reduce((sum, one) => sum + one, 0);
