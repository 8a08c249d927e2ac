/** Keys that act everywhere. G waits a moment for the letter of a place. */
import { useEffect } from 'react';
import { copyAndSay } from '../components/copy-text.ts';
import { go } from '../navigation/address.ts';
import { useKeys } from '../navigation/keys.ts';
import { places } from '../navigation/screens.ts';

interface ShellKeysProps {
  onFind: () => void;
  onHelp: () => void;
  onGo: () => void;
}

export function ShellKeys({ onFind, onHelp, onGo }: ShellKeysProps) {
  useKeys('Everywhere', [
    { keys: 'N', label: 'new run', run: () => go('/new') },
    { keys: 'Ctrl+K', label: 'find or do', run: onFind },
    {
      keys: 'G',
      shown: ['G', 'R', 'C', 'O', 'M'],
      label: 'then the letter: Runs, Compare, Rows, Machine',
      run: onGo,
      minor: true,
    },
    {
      keys: '.',
      label: 'copy the address',
      run: () => void copyAndSay(location.origin + location.pathname + location.search, 'the address'),
      minor: true,
    },
    { keys: '?', label: 'all keys', run: onHelp },
  ]);
  return null;
}

/** While it is shown, the next key is the letter of a place; any other, or 1.5 s, ends it. */
export function GoKeys({ onDone }: { onDone: () => void }) {
  useKeys(
    'Go to',
    places.map(({ key, title, address }) => ({
      keys: key,
      label: title,
      run: () => {
        onDone();
        go(address);
      },
    })),
    { modal: true },
  );
  useEffect(() => {
    const timer = setTimeout(onDone, 1500);
    const other = (event: KeyboardEvent): void => {
      if (!event.defaultPrevented) onDone();
    };
    addEventListener('keydown', other);
    return () => {
      clearTimeout(timer);
      removeEventListener('keydown', other);
    };
  }, [onDone]);
  return null;
}
