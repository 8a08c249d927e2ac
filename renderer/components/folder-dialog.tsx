/**
 * Browsing the folders of the host, which need not be the machine that the window is on. The path can be typed; arrows choose in the list, Enter opens,
 * Backspace goes up, Ctrl Enter takes the chosen folder (or the one that is open).
 */
import { useId, useRef, useState, type KeyboardEvent } from 'react';
import type { FolderEntry } from '../../main/contract/window/app.ts';
import { useQuery } from '../api/use-query.ts';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import { Dialog } from './dialog.tsx';
import { Icon } from './icon.tsx';
import { crumbsOf, joinFolder } from './folder-paths.ts';
import { Say } from './say.tsx';
import { Spinner } from './spinner.tsx';
import { TextInput } from './text-input.tsx';
import styles from './folder-dialog.module.css';

export interface FolderDialogProps {
  title: string;
  /** Where to begin; '' is the home folder. */
  from: string;
  onChoose: (folder: string) => void;
  onClose: () => void;
}

const looks: Readonly<Record<NonNullable<FolderEntry['looksLike']> | 'rows', string>> = {
  model: 'model',
  adapter: 'adapter',
  episode: 'episode',
  rows: 'rows folder',
};

export function FolderDialog({ title, from, onChoose, onClose }: FolderDialogProps) {
  const [folder, setFolder] = useState(from);
  const [typed, setTyped] = useState<string | null>(null);
  const [at, setAt] = useState<number | null>(null);
  const list = useRef<HTMLUListElement>(null);
  const id = useId();
  const { data, error, loading } = useQuery('folders.list', { folder }, { keepPrevious: true });
  const chosen = data && at !== null ? data.entries[at] : undefined;
  const target = data && (chosen ? joinFolder(data.folder, chosen.name) : data.folder);

  const open = (to: string): void => {
    setFolder(to);
    setTyped(null);
    setAt(null);
    list.current?.scrollTo(0, 0);
  };
  const choose = (): void => {
    if (target && !error) onChoose(target);
  };
  const move = (to: number): void => {
    if (!data || data.entries.length === 0) return;
    const next = Math.min(data.entries.length - 1, Math.max(0, to));
    setAt(next);
    list.current?.children[next]?.scrollIntoView({ block: 'nearest' });
  };
  const keyInList = (event: KeyboardEvent): void => {
    if (!data || event.ctrlKey || event.altKey || event.metaKey) return;
    const now = at ?? -1;
    const byLetter =
      event.key.length === 1 && event.key !== ' '
        ? [...data.entries.keys()]
            .map((step) => (now + 1 + step) % data.entries.length)
            .find((index) => data.entries[index]?.name.toLowerCase().startsWith(event.key.toLowerCase()))
        : undefined;
    if (event.key === 'ArrowDown') move(now + 1);
    else if (event.key === 'ArrowUp') move(now - 1);
    else if (event.key === 'PageDown') move(now + 10);
    else if (event.key === 'PageUp') move(now - 10);
    else if (event.key === 'Home') move(0);
    else if (event.key === 'End') move(data.entries.length - 1);
    else if (event.key === 'Enter' && chosen) open(joinFolder(data.folder, chosen.name));
    else if (event.key === 'Backspace' && data.parent !== null) open(data.parent);
    else if (byLetter !== undefined) move(byLetter);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <Dialog
      title={title}
      onClose={onClose}
      width={640}
      keys={[{ keys: 'Ctrl+Enter', label: 'choose', run: choose }]}
      actions={
        <>
          <span className={styles.target} title={target ?? undefined}>
            {target}
          </span>
          <Button onPress={onClose}>Cancel</Button>
          <Button
            kind="primary"
            keys="Ctrl+Enter"
            onPress={choose}
            disabledReason={!target || error ? 'no folder is open' : undefined}
          >
            Choose
          </Button>
        </>
      }
    >
      <TextInput
        label="Path"
        mono
        value={typed ?? (error ? folder : (data?.folder ?? folder))}
        onChange={setTyped}
        onEnter={() => open((typed ?? folder).trim())}
        state={error ? 'error' : 'plain'}
        describedBy={error ? `${id}error` : undefined}
      />
      {data && (
        <nav aria-label="Parent folders" className={styles.crumbs}>
          {crumbsOf(data.folder).map((crumb) => (
            <Button key={crumb.folder} kind="text" small onPress={() => open(crumb.folder)}>
              {crumb.name}
            </Button>
          ))}
          {data.looksLike && <span className={styles.looks}>{looks[data.looksLike]}</span>}
        </nav>
      )}
      {error && (
        <div className={styles.error}>
          <Say id={`${id}error`} kind="bad" title={error.message} live>
            {error.hint}
          </Say>
        </div>
      )}
      <ul
        ref={list}
        role="listbox"
        aria-label="Folders"
        aria-activedescendant={at === null ? undefined : `${id}${at}`}
        aria-busy={loading}
        tabIndex={0}
        data-autofocus
        className={classes(styles.list, loading && styles.loading)}
        onKeyDown={keyInList}
        onFocus={() => at === null && move(0)}
      >
        {data?.entries.map((entry, index) => (
          <li
            key={entry.name}
            id={`${id}${index}`}
            role="option"
            aria-selected={index === at}
            className={classes(styles.entry, index === at && styles.chosen)}
            onClick={() => setAt(index)}
            onDoubleClick={() => open(joinFolder(data.folder, entry.name))}
          >
            <Icon name="folder" />
            <span className="ellipsis">{entry.name}</span>
            {entry.looksLike && <span className={styles.looks}>{looks[entry.looksLike]}</span>}
          </li>
        ))}
      </ul>
      <p className={styles.under}>
        {data === null && loading ? <Spinner label="Reading the folder" /> : null}
        {data?.entries.length === 0 && 'No folders in here.'}
        {data?.more && `The first ${data.entries.length.toLocaleString('en-US')} folders; type the path of another.`}
      </p>
    </Dialog>
  );
}
