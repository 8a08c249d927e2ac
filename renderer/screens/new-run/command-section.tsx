/** The same run on the command line. What would hold without being said is grey. */
import { Fragment } from 'react';
import { Button } from '../../components/button.tsx';
import { Section } from '../../components/section.tsx';
import { toast } from '../../components/toast.tsx';
import type { FormState } from './use-form.ts';
import styles from './ledger.module.css';

/** With the grey part: a default of a later version may be another. */
export async function copyCommand(form: FormState): Promise<void> {
  const text = (form.check?.command ?? []).map((word) => word.text).join(' ');
  try {
    await navigator.clipboard.writeText(text);
    toast('Command copied');
  } catch {
    toast('The browser does not allow copying here: select the text', { kind: 'warning' });
  }
}

export function CommandSection({ form }: { form: FormState }) {
  const words = form.check?.command ?? [];
  const wrong = form.problems.some(({ code }) => code === 'no-number');
  if (words.length === 0) return null;
  return (
    <Section
      title="Same on the command line"
      note={wrong ? 'without what is no number' : form.checked ? undefined : 'of earlier settings'}
      noLine
      actions={
        <Button kind="text" small keys="Ctrl+Shift+C" onPress={() => void copyCommand(form)}>
          Copy
        </Button>
      }
    >
      <div className={styles.commandFrame}>
        <code className={styles.command}>
          {words.map((word, index) => (
            <Fragment key={`${index} ${word.text}`}>
              {index > 0 && ' '}
              <span className={word.isDefault ? styles.usual : undefined}>{word.text}</span>
            </Fragment>
          ))}
        </code>
      </div>
    </Section>
  );
}
