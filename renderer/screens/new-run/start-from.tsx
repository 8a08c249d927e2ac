/** What the form begins with: defaults, the demo, a clone of a run, or a trainer's command. Each says what it changed and can be undone. */
import { useState } from 'react';
import type { DraftRequest, RecipeForm } from '../../../main/contract/window/draft.ts';
import { call, CallError } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Say } from '../../components/say.tsx';
import { Segmented } from '../../components/segmented.tsx';
import { toast } from '../../components/toast.tsx';
import { draftOf, emptyRequest, useDraft, type DraftStart } from '../../stores/draft.ts';
import { changesInWords } from './changes.ts';
import type { Fault } from './problems.ts';
import { sentence } from '../../format/sentence.ts';
import styles from './new-run.module.css';

/** Takes a whole request over, says so, and offers the way back. */
export function fillDraft(recipe: RecipeForm, request: DraftRequest, start: DraftStart, notes: string[] = []): void {
  const changes = changesInWords(useDraft.getState().request, request, recipe.settings);
  useDraft.getState().fill(request, start, changes, notes);
}

export function resetDraft(): void {
  const before = draftOf(useDraft.getState());
  useDraft.getState().reset();
  toast('The form is at its defaults', { undo: () => useDraft.getState().restore(before) });
}

const faultOf = (error: unknown): Fault => {
  const { code, message, hint } = CallError.from(error);
  return { code, message, hint };
};

/** null: the form is filled. */
export async function pasteCommand(recipe: RecipeForm, text: string): Promise<Fault | null> {
  try {
    const { request, notes } = await call('draft.paste', { text });
    fillDraft(recipe, request, { kind: 'command' }, notes);
    return null;
  } catch (error) {
    return faultOf(error);
  }
}

export async function startFromDemo(recipe: RecipeForm): Promise<Fault | null> {
  try {
    fillDraft(recipe, await call('draft.demo', {}), { kind: 'demo' });
    return null;
  } catch (error) {
    return faultOf(error);
  }
}

export async function cloneRun(recipe: RecipeForm, run: string, name: string): Promise<Fault | null> {
  try {
    fillDraft(recipe, await call('draft.fromRun', { run }), { kind: 'run', run, name });
    return null;
  } catch (error) {
    return faultOf(error);
  }
}

function Changes() {
  const { start, changes, notes, before, restore } = useDraft();
  if (changes === null) return null;
  return (
    <div className={styles.changes} role="status">
      <p>
        {start.kind === 'run' && `clone of ${start.name}, `}
        {changes.length === 0
          ? 'changed nothing: the form said the same'
          : `changes ${changes.length}: ${changes.join(', ')}`}{' '}
        {before !== null && changes.length > 0 && (
          <Button kind="text" small onPress={() => restore(before)}>
            Undo
          </Button>
        )}
      </p>
      {notes.map((note) => (
        <Say key={note} kind="info">
          {note}
        </Say>
      ))}
    </div>
  );
}

interface StartFromProps {
  recipe: RecipeForm;
  demo: boolean;
  fault: Fault | null;
  onFault: (fault: Fault | null) => void;
  onClone: () => void;
}

export function StartFrom({ recipe, demo, fault, onFault, onClone }: StartFromProps) {
  const start = useDraft((draft) => draft.start);
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const paste = async (words: string): Promise<void> => {
    if (words.trim() === '' || busy) return;
    setBusy(true);
    const failed = await pasteCommand(recipe, words);
    setBusy(false);
    onFault(failed);
    if (failed === null) setText('');
  };
  const options = [
    { value: 'defaults', label: 'defaults' },
    { value: 'demo', label: 'demo', ...(demo ? {} : { disabledReason: 'the demo is not part of this installation' }) },
  ] as const;
  const choose = (kind: 'defaults' | 'demo'): void => {
    onFault(null);
    if (kind === 'demo') void startFromDemo(recipe).then(onFault);
    else fillDraft(recipe, emptyRequest(recipe.id), { kind });
  };
  return (
    <section className={styles.group} aria-labelledby="new-run-start">
      <h2 id="new-run-start">Start from</h2>
      <div className={styles.fields}>
        <div className={styles.start}>
          <Segmented
            label="Start from"
            options={options}
            value={start.kind === 'defaults' || start.kind === 'demo' ? start.kind : null}
            onChange={choose}
          />
          <Button keys="D" onPress={onClone}>
            Clone a run…
          </Button>
          <textarea
            className={styles.paste}
            aria-label="Command to take the settings from"
            placeholder="or paste a command: python -m miniwebagent.train --adapter …"
            rows={text.includes('\n') ? Math.min(8, text.split('\n').length) : 1}
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onPaste={(event) => {
              const words = event.clipboardData.getData('text');
              if (text !== '' || words.trim() === '') return;
              event.preventDefault();
              setText(words);
              void paste(words);
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey || event.ctrlKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              void paste(text);
            }}
          />
          {text !== '' && (
            <Button onPress={() => void paste(text)} disabledReason={busy ? 'it is being read' : null}>
              Read it
            </Button>
          )}
        </div>
        {fault !== null && (
          <div className={styles.changes}>
            <Say kind="bad" title={sentence(fault.message)} live>
              {fault.hint} The form is as it was.
            </Say>
          </div>
        )}
        <Changes />
      </div>
    </section>
  );
}
