/** Find or do: one field over everything that has a name here. Arrows choose, Enter does. */
import { useEffect, useId, useRef, useState } from 'react';
import type { RunRow } from '../../main/contract/window/runs.ts';
import { classes } from '../components/classes.ts';
import { Dialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { Kbd } from '../components/kbd.tsx';
import { useKeyLayers } from '../navigation/keys.ts';
import { findItems, type PaletteItem } from './find-items.ts';
import { paletteItems } from './palette-items.ts';
import styles from './palette.module.css';

const title = 'Find or do';

export function Palette({ runs, onClose }: { runs: readonly RunRow[]; onClose: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const layers = useKeyLayers().filter((layer) => layer.title !== title);
  const items = findItems(paletteItems(layers, runs), text);
  const chosen = items[Math.min(at, items.length - 1)];

  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [at, text]);

  const act = (item: PaletteItem | undefined): void => {
    if (!item) return;
    onClose();
    // After the dialog is gone and has given the focus back, so that the action's own focus stays.
    setTimeout(item.run, 0);
  };
  const move = (by: number): void => setAt((Math.min(at, items.length - 1) + by + items.length) % items.length);

  return (
    <Dialog title={title} onClose={onClose} width={600} bare high>
      <div className={styles.field}>
        <Icon name="search" />
        <input
          autoFocus
          data-autofocus
          role="combobox"
          aria-label={title}
          aria-expanded="true"
          aria-controls={`${id}list`}
          aria-activedescendant={chosen ? `${id}${chosen.id}` : undefined}
          aria-autocomplete="list"
          placeholder="Action, place, run"
          spellCheck={false}
          autoComplete="off"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing) return;
            if (event.key === 'ArrowDown') move(1);
            else if (event.key === 'ArrowUp') move(-1);
            else if (event.key === 'Enter') act(chosen);
            else return;
            event.preventDefault();
          }}
        />
        <Kbd keys="Escape" />
      </div>
      <div ref={list} id={`${id}list`} role="listbox" aria-label="Found" className={styles.list}>
        {items.map((item) => (
          <div
            key={item.id}
            id={`${id}${item.id}`}
            role="option"
            aria-selected={item === chosen}
            className={classes(styles.item, item === chosen && styles.chosen)}
            onClick={() => act(item)}
            onMouseMove={() => setAt(items.indexOf(item))}
          >
            <span className={styles.text}>{item.text}</span>
            <span className={styles.note}>{item.note}</span>
            <span className={styles.group}>{item.group}</span>
            {item.keys !== null && <Kbd keys={item.keys} />}
          </div>
        ))}
      </div>
      {items.length === 0 && <p className={styles.none}>Nothing here has these words.</p>}
    </Dialog>
  );
}
