/** Keys of the form. Those that write in a field (Ctrl Backspace) are off while one has the focus. */
import { useEffect, useState } from 'react';
import { useConnection } from '../../api/connection.ts';
import { go } from '../../navigation/address.ts';
import { useKeys } from '../../navigation/keys.ts';
import { useDraft } from '../../stores/draft.ts';
import { copyCommand } from './command-section.tsx';
import { settingOf } from './form.ts';
import { focusedField, goToProblem } from './jump.ts';
import { launch, launchHeld } from './launch.ts';
import { pasteCommand, resetDraft } from './start-from.tsx';
import { startTry } from './try-section.tsx';
import type { Fault } from './problems.ts';
import type { FormState } from './use-form.ts';

function useTextFocus(): boolean {
  const [focused, setFocused] = useState(false);
  useEffect(() => {
    const look = (): void =>
      setFocused(document.activeElement?.matches('input:not([type="checkbox"]), textarea') ?? false);
    document.addEventListener('focusin', look);
    document.addEventListener('focusout', look);
    return () => {
      document.removeEventListener('focusin', look);
      document.removeEventListener('focusout', look);
    };
  }, []);
  return focused;
}

function toDefault(form: FormState): void {
  const field = focusedField();
  const { setRequest, setSetting, setSettings } = useDraft.getState();
  if (field === 'processor' || field === 'output' || field === 'name') setRequest({ [field]: null });
  else if (field === 'adapter' || field === 'families') setSettings({ adapter: undefined, families: undefined });
  else if (field === 'episodeIds') setRequest({ episodeIdsFile: null });
  if (field !== null && settingOf(form, field)) setSetting(field, undefined);
}

export function useFormKeys(form: FormState, act: { clone: () => void; onFault: (fault: Fault | null) => void }): void {
  const writing = useTextFocus();
  const connected = useConnection((connection) => connection.state === 'up');
  useKeys('New run', [
    { keys: 'Alt+ArrowDown', label: 'next problem', run: () => goToProblem(form.problems) },
    { keys: 'Ctrl+D', label: 'to default', run: () => toDefault(form) },
    {
      // Ctrl V itself has to stay the browser's: only then does it say what is pasted (usePasteAnywhere). This is the key that some keyboards have for it.
      keys: 'Paste',
      shown: ['Ctrl', 'V'],
      label: 'paste a command anywhere',
      run: () => {
        navigator.clipboard.readText().then(
          async (text) => act.onFault(await pasteCommand(form.recipe, text)),
          () =>
            act.onFault({
              code: 'clipboard',
              message: 'the browser does not give the clipboard',
              hint: 'Press Ctrl V.',
            }),
        );
      },
    },
    { keys: 'Ctrl+T', label: 'try', run: () => startTry(form) },
    {
      keys: 'Ctrl+Enter',
      label: 'launch',
      run: () => {
        if (launchHeld(form, connected) === null) void launch(form);
        else goToProblem(form.problems, 'error');
      },
    },
    { keys: 'D', label: 'clone a run', run: act.clone, minor: true },
    { keys: 'Ctrl+Shift+C', label: 'copy the command', run: () => void copyCommand(form), minor: true },
    { keys: 'Ctrl+Backspace', label: 'reset the form', run: resetDraft, minor: true, disabled: writing },
    { keys: 'Escape', label: 'leave, draft is kept', run: () => go('/runs') },
  ]);
}
