/** Where the adapter goes. Empty: a folder in the data folder, by the run's name. */
import { useDraft } from '../../stores/draft.ts';
import { FieldLine } from './field-line.tsx';
import { fieldId, frameState, problemsId, useFieldProblems, useForm } from './form.ts';
import { PathInput } from './path-input.tsx';
import styles from './new-run.module.css';

export function OutputField() {
  const { request, check } = useForm();
  const setRequest = useDraft((draft) => draft.setRequest);
  const problems = useFieldProblems('output');
  return (
    <FieldLine name="output" label="out" wide meaning="the adapter's folder, with its checkpoints, log and meta file">
      <div className={styles.path}>
        <PathInput
          id={fieldId('output')}
          label="out"
          state={frameState(problems, false)}
          describedBy={problems.length > 0 ? problemsId('output') : undefined}
          value={request.output ?? ''}
          placeholder={check?.output ?? 'in the data folder, by the name of the run'}
          onChange={(text) => setRequest({ output: text === '' ? null : text })}
        />
      </div>
    </FieldLine>
  );
}
