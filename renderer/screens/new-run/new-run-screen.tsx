/** The form that launches a run: what was entered at the left, what would be trained at the right, and one button that does it. */
import { useEffect, useState } from 'react';
import type { RecipeForm } from '../../../main/contract/window/draft.ts';
import { useQuery } from '../../api/use-query.ts';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/empty.tsx';
import { Screen } from '../../components/screen.tsx';
import { Spinner } from '../../components/spinner.tsx';
import { useAddress, setQuery } from '../../navigation/address.ts';
import { useAppInfo } from '../../shell/app-info.ts';
import { formatClock } from '../../format/times.ts';
import { useDraft } from '../../stores/draft.ts';
import { useRuns } from '../../stores/runs.ts';
import { CensusSection } from './census-section.tsx';
import { CloneDialog } from './clone-dialog.tsx';
import { CommandSection } from './command-section.tsx';
import { FormContext } from './form.ts';
import { FormSections } from './form-sections.tsx';
import { LaunchBar } from './launch-bar.tsx';
import type { Fault } from './problems.ts';
import { cloneRun, resetDraft, StartFrom } from './start-from.tsx';
import { TrySection } from './try-section.tsx';
import { useFormKeys } from './use-form-keys.ts';
import { useFormState } from './use-form.ts';
import { usePasteAnywhere } from './use-paste.ts';
import styles from './new-run.module.css';

function Kept() {
  const keptAt = useDraft((draft) => draft.keptAt);
  return <span className={styles.kept}>{keptAt === null ? '' : `draft kept ${formatClock(keptAt / 1000)}`}</span>;
}

export function NewRunScreen() {
  const recipes = useQuery('draft.recipes', {});
  const wanted = useDraft((draft) => draft.request.recipe);
  const recipe = recipes.data?.find(({ id }) => id === wanted) ?? recipes.data?.[0];
  const head = (
    <>
      <span className={styles.recipe} title={recipe?.title}>
        {recipe?.id}
      </span>
      <span className="grow" />
      <Kept />
      <Button kind="text" keys="Ctrl+Backspace" onPress={resetDraft}>
        Reset
      </Button>
    </>
  );
  return (
    <Screen title="New run" head={head} className={styles.body}>
      {recipe !== undefined ? (
        <FormBody recipe={recipe} />
      ) : recipes.error !== null ? (
        <Empty title={`${recipes.error.message}.`}>
          {recipes.error.hint} <Button onPress={recipes.reload}>Ask again</Button>
        </Empty>
      ) : (
        <Spinner label="reading the recipes" />
      )}
    </Screen>
  );
}

function FormBody({ recipe }: { recipe: RecipeForm }) {
  const form = useFormState(recipe);
  const demo = useAppInfo((app) => app.info?.demo ?? false);
  const [fault, setFault] = useState<Fault | null>(null);
  const [cloning, setCloning] = useState(false);
  const from = useAddress().query['from'];
  useEffect(() => {
    if (from === undefined) return;
    // Taken out of the address at once: reading the page anew must not undo what was changed since.
    setQuery({ from: undefined });
    const known = useRuns.getState().runs.find(({ id }) => id === from);
    void cloneRun(recipe, from, known?.name ?? from).then(setFault);
  }, [from, recipe]);
  usePasteAnywhere(recipe, setFault);
  useFormKeys(form, { clone: () => setCloning(true), onFault: setFault });
  return (
    <FormContext value={form}>
      <div className={styles.columns}>
        <div className={styles.form}>
          <StartFrom recipe={recipe} demo={demo} fault={fault} onFault={setFault} onClone={() => setCloning(true)} />
          <FormSections sections={form.sections} />
        </div>
        <aside className={styles.ledger} aria-label="What this launches">
          <div className={styles.ledgerScroll}>
            <CensusSection form={form} />
            <TrySection form={form} />
            <CommandSection form={form} />
          </div>
          <LaunchBar form={form} />
        </aside>
      </div>
      {cloning && (
        <CloneDialog
          onClose={() => setCloning(false)}
          onChoose={(run) => {
            setCloning(false);
            void cloneRun(recipe, run.id, run.name).then(setFault);
          }}
        />
      )}
    </FormContext>
  );
}
