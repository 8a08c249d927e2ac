/** What the model sees, with what the target does drawn over it. Of several images the last is the current state, on which the target acts. */
import { useState } from 'react';
import type { ActionMark, RowDetail, ShownImage } from '../../../main/contract/window/rows.ts';
import { Checkbox } from '../../components/checkbox.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Segmented } from '../../components/segmented.tsx';
import { Spinner } from '../../components/spinner.tsx';
import { formatBytes, formatCounted } from '../../format/numbers.ts';
import { useKeys } from '../../navigation/keys.ts';
import { ActionOverlay } from './action-overlay.tsx';
import { Fault } from './fault.tsx';
import { useRowImage } from './use-row-image.ts';
import styles from './row.module.css';

export function Screenshot({ row }: { row: RowDetail }) {
  const [chosen, setChosen] = useState(row.images.length - 1);
  const [marks, setMarks] = useState(true);
  const [full, setFull] = useState(false);
  const image = row.images[chosen];
  const hasPlace = row.marks.some((mark) => mark.kind !== 'none' && !(mark.kind === 'element' && mark.box === null));
  useKeys('Screenshot', [
    { keys: 'F', label: 'screenshot full size', run: () => setFull(true), disabled: !image },
    { keys: 'V', label: 'marks', run: () => setMarks(!marks), disabled: !image || !hasPlace },
  ]);
  const shownMarks = marks && chosen === row.images.length - 1 ? row.marks : [];
  return (
    <section aria-label="Screenshot" className={styles.screenshot}>
      {image && <Picture key={chosen} row={row} image={image} number={chosen} marks={shownMarks} />}
      <div className={styles.caption}>
        {image ? (
          <span className="second ellipsis" title={image.name}>
            {image.name}, {image.width} × {image.height}, {formatBytes(image.bytes)}
            {image.tokens === null ? '' : `, ${formatCounted(image.tokens, 'token')}`}
          </span>
        ) : (
          <span className="second">This row has no image.</span>
        )}
        <span className="grow" />
        {row.images.length > 1 && (
          <Segmented
            label="Image"
            options={row.images.map((_, index) => ({
              value: String(index),
              label: `${index + 1} of ${row.images.length}`,
            }))}
            value={String(chosen)}
            onChange={(value) => setChosen(Number(value))}
          />
        )}
        {image && hasPlace && <Checkbox label="Marks" checked={marks} onChange={setMarks} />}
        {image && (
          <Button small keys="F" onPress={() => setFull(true)}>
            Full size
          </Button>
        )}
      </div>
      <Actions row={row} isOnImage={image !== undefined} />
      {full && image && (
        <Dialog title={image.name} onClose={() => setFull(false)} width={image.width + 34}>
          <Picture row={row} image={image} number={chosen} marks={shownMarks} full />
        </Dialog>
      )}
    </section>
  );
}

interface PictureProps {
  row: RowDetail;
  image: ShownImage;
  number: number;
  marks: readonly ActionMark[];
  full?: boolean;
}

function Picture({ row, image, number, marks, full = false }: PictureProps) {
  const { pool, item } = row;
  const state = useRowImage({ pool, episode: item.episode, line: item.line, image: number });
  if (state.state === 'failed') return <Fault error={state.error} />;
  return (
    <figure
      tabIndex={full ? 0 : undefined}
      className={full ? styles.fullPicture : styles.picture}
      style={{ aspectRatio: `${image.width} / ${image.height}`, ...(full ? { width: image.width } : {}) }}
    >
      {state.state === 'reading' ? (
        <Spinner label="Reading the image" />
      ) : (
        <>
          <img src={state.address} alt={`Screenshot ${image.name}, ${image.width} by ${image.height} pixels`} />
          <ActionOverlay image={image} marks={marks} />
        </>
      )}
    </figure>
  );
}

/** What the target does, in words; also what has no place to be drawn. */
function Actions({ row, isOnImage }: { row: RowDetail; isOnImage: boolean }) {
  if (row.marks.length === 0) return <p className={styles.actions}>No action can be read from the target.</p>;
  return (
    <ul className={styles.actions} aria-label="Actions of the target">
      {row.marks.map((mark, index) => (
        <li key={`${index} ${mark.label}`} className="ellipsis" title={mark.label}>
          <span className="mono-small">{mark.label}</span>
          {isOnImage && mark.kind === 'element' && mark.box === null && (
            <span className="third"> the element list gives no place for it</span>
          )}
        </li>
      ))}
    </ul>
  );
}
