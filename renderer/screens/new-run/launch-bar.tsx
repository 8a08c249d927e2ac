/** Name and launch. While something holds it the button is dashed, says what, and leads there. */
import { useConnection } from '../../api/connection.ts';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { ProgressBar } from '../../components/progress-bar.tsx';
import { Say } from '../../components/say.tsx';
import { TextInput } from '../../components/text-input.tsx';
import { formatCount } from '../../format/numbers.ts';
import { useDraft } from '../../stores/draft.ts';
import { fieldId, frameState, problemsId, useFieldProblems } from './form.ts';
import { useLaunchJob } from './job-store.ts';
import { goToProblem } from './jump.ts';
import { launch, launchHeld } from './launch.ts';
import { ProblemList } from './problem-list.tsx';
import { censusField } from './problems.ts';
import type { FormState } from './use-form.ts';
import { sentence } from '../../format/sentence.ts';
import styles from './ledger.module.css';

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

function Preparing() {
  const { progress, cancel } = useLaunchJob();
  return (
    <div className={styles.working} role="status">
      <span>
        {progress === null
          ? 'preparing'
          : `${progress.stage}${progress.of > 0 ? ` ${formatCount(progress.done)} of ${formatCount(progress.of)}` : ''}`}
      </span>
      <ProgressBar label="Launch" value={progress === null || progress.of === 0 ? null : progress.done / progress.of} />
      <Button
        kind="text"
        small
        onPress={cancel}
        disabledReason={progress?.stage === 'cancelling' ? 'it is being cancelled' : null}
      >
        Cancel
      </Button>
    </div>
  );
}

export function LaunchBar({ form }: { form: FormState }) {
  const { running, fault, faultKey } = useLaunchJob();
  const connected = useConnection((connection) => connection.state === 'up');
  const setRequest = useDraft((draft) => draft.setRequest);
  const problems = useFieldProblems('name');
  const known = new Set([
    ...form.sections.flatMap(({ before, settings, after }) => [...before, ...settings, ...after]),
  ]);
  const elsewhere = form.problems.filter(({ field }) => field !== 'name' && field !== censusField && !known.has(field));
  const errors = form.problems.filter(({ severity }) => severity === 'error').length;
  const warnings = form.problems.filter(({ severity }) => severity === 'warning').length;
  const held = launchHeld(form, connected);
  // A refusal of the launch is of the draft that was launched.
  const refused =
    fault !== null && fault.code !== 'cancelled' && faultKey === JSON.stringify(form.sent) && running === null;
  return (
    <div className={styles.launch}>
      {running !== null && <Preparing />}
      {refused && (
        <div className={styles.refused}>
          <Say kind="bad" live title={sentence(fault.message)}>
            {fault.hint} Nothing was launched; the form is as it was.
          </Say>
        </div>
      )}
      {(problems.length > 0 || elsewhere.length > 0) && (
        <div className={styles.refused} id={problemsId('name')}>
          <ProblemList problems={[...problems, ...elsewhere]} />
        </div>
      )}
      <div className={styles.launchRow} data-field="name">
        <label htmlFor={fieldId('name')}>name</label>
        <TextInput
          id={fieldId('name')}
          label="name"
          width={230}
          state={frameState(problems, false)}
          describedBy={problems.length > 0 ? problemsId('name') : undefined}
          value={form.request.name ?? ''}
          placeholder={form.check?.name ?? 'by preset and time'}
          onChange={(text) => setRequest({ name: text === '' ? null : text })}
        />
        <span className="grow" />
        <Button
          kind="primary"
          keys="Ctrl+Enter"
          disabledReason={running === null ? held : 'It is being launched'}
          onPress={() => void launch(form)}
        >
          Launch
        </Button>
      </div>
      <div className={styles.counts} role="status">
        {errors > 0 && (
          <button type="button" className={styles.toProblem} onClick={() => goToProblem(form.problems, 'error')}>
            <Icon name="cross" size={11} />
            {counted(errors, 'problem')} {errors === 1 ? 'holds' : 'hold'} the launch
          </button>
        )}
        {warnings > 0 && (
          <button type="button" className={styles.toWarning} onClick={() => goToProblem(form.problems, 'warning')}>
            {counted(warnings, 'warning')}
          </button>
        )}
        {errors === 0 && held !== null && <span>{held}</span>}
      </div>
    </div>
  );
}
