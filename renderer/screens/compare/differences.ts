/** Settings of several runs: those that are not the same in all. */
import type { RunDetail } from '../../../main/contract/window/runs.ts';

export interface SettingRow {
  name: string;
  meaning: string | null;
  /** One a run, in their order; null: this run has no such setting. */
  values: (string | null)[];
  /** Which differ from the reference. */
  differs: boolean[];
  equal: boolean;
}

/** In the order of the first run that has each. `reference`: index among the runs. */
export function settingRows(runs: readonly RunDetail[], reference: number): SettingRow[] {
  const rows = new Map<string, SettingRow>();
  const put = (name: string, meaning: string | null, index: number, value: string): void => {
    let row = rows.get(name);
    if (!row) rows.set(name, (row = { name, meaning, values: runs.map(() => null), differs: [], equal: true }));
    row.values[index] = value;
  };
  runs.forEach((run, i) => {
    put('recipe', null, i, run.recipe);
    put('model', null, i, run.model.name + (run.model.revision === null ? '' : ` ${run.model.revision.slice(0, 8)}`));
    for (const { flag, name, meaning, value } of run.settings)
      put(flag?.replace(/^--(no-)?/, '') ?? name, meaning, i, value);
    put('rows folders', null, i, run.rowsFolders.join(', '));
    put('rows in all', 'row visits of the whole run', i, run.totalRows.toLocaleString('en-US'));
    put('steps', 'optimizer steps of the whole run', i, run.totalSteps.toLocaleString('en-US'));
    if (run.trainer !== null) put('ranks', null, i, String(run.trainer.ranks));
  });
  return [...rows.values()].map((row) => {
    const differs = row.values.map((value) => value !== (row.values[reference] ?? null));
    return { ...row, differs, equal: !differs.some(Boolean) };
  });
}
