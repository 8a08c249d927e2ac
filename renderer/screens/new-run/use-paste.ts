/** A command that is pasted anywhere on the screen fills the form; inside a field pasting stays what it is. */
import { useEffect } from 'react';
import type { RecipeForm } from '../../../main/contract/window/draft.ts';
import type { Fault } from './problems.ts';
import { pasteCommand } from './start-from.tsx';

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;

export function usePasteAnywhere(recipe: RecipeForm, onFault: (fault: Fault | null) => void): void {
  useEffect(() => {
    const paste = (event: ClipboardEvent): void => {
      const text = event.clipboardData?.getData('text') ?? '';
      if (
        event.defaultPrevented ||
        isField(event.target) ||
        text.trim() === '' ||
        document.querySelector('dialog[open]')
      )
        return;
      event.preventDefault();
      void pasteCommand(recipe, text).then(onFault);
    };
    document.addEventListener('paste', paste);
    return () => document.removeEventListener('paste', paste);
  }, [recipe, onFault]);
}
