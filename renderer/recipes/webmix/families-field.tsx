/** Preset and families of webmix, one set of ticks: the chosen get CE, and the rows of all others are what anchors are drawn from. */
import { useMemo } from 'react';
import type { SettingDescription } from '../../../main/contract/settings.ts';
import { Checkbox } from '../../components/checkbox.tsx';
import { Segmented } from '../../components/segmented.tsx';
import { formatCount } from '../../format/numbers.ts';
import { FieldLine } from '../../screens/new-run/field-line.tsx';
import { problemsId, useFieldProblems, useForm } from '../../screens/new-run/form.ts';
import { useDraft } from '../../stores/draft.ts';
import { choiceOf, chosenFamilies, presetOf, shownFamilies, toggled } from './families.ts';
import styles from './families-field.module.css';

export function FamiliesField({ setting }: { setting: SettingDescription }) {
  const { recipe, request, pool } = useForm();
  const setSettings = useDraft((draft) => draft.setSettings);
  const problems = useFieldProblems(setting.name);
  const { presets } = recipe;
  const chosen = chosenFamilies(request.settings, presets);
  const shown = useMemo(
    () => shownFamilies(recipe.families, pool?.families ?? null, chosen, presets),
    [recipe.families, pool, chosen, presets],
  );
  const preset = presetOf(chosen, presets) ?? null;
  const describedBy = problems.length > 0 ? problemsId(setting.name) : undefined;
  const sum = (own: boolean): number =>
    shown.reduce((rows, family) => rows + (chosen.includes(family.name) === own ? (family.rows ?? 0) : 0), 0);
  const anchored = request.settings['beta'] !== 0;
  return (
    <>
      <FieldLine
        name={setting.name}
        label="preset"
        wide
        group
        meaning={preset === null && chosen.length > 0 ? 'own families' : undefined}
      >
        <Segmented
          label="Preset of families"
          describedBy={describedBy}
          options={Object.keys(presets).map((name) => ({ value: name, label: name }))}
          value={preset}
          onChange={(name) => setSettings({ adapter: name, families: undefined })}
        />
      </FieldLine>
      <FieldLine
        name="families"
        label="family"
        wide
        group
        below={
          pool !== null && (
            <p className={styles.sum}>
              {formatCount(sum(true))} rows of the ticked families carry CE;{' '}
              {anchored
                ? `anchor rows are drawn from the ${formatCount(sum(false))} of the others`
                : `the ${formatCount(sum(false))} of the others are not used, since beta is 0`}
              , before anything is left out or held out
            </p>
          )
        }
      >
        <div role="group" aria-label="Families that carry CE" className={styles.families}>
          {shown.map(({ name, rows }) => (
            <div key={name} className={chosen.includes(name) ? styles.own : styles.family}>
              <Checkbox
                label={name}
                checked={chosen.includes(name)}
                onChange={() => {
                  const names = shown.map((family) => family.name);
                  setSettings({ ...choiceOf(toggled(chosen, name, names), presets) });
                }}
              />
              <span className={styles.rows} title={rows === 0 ? 'no row of it in these folders' : undefined}>
                {rows === null ? '' : formatCount(rows)}
              </span>
            </div>
          ))}
        </div>
      </FieldLine>
    </>
  );
}
