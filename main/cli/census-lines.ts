/** What `run` and `plan` print of a plan before it starts. */
import type { Census } from '../contract/census.ts';
import { formatCensus } from '../recipes/webmix/format-census.ts';
import type { PreparedRun } from '../trainer/launch.ts';

/** The line that the Python trainer opened with, in our words: one line that says what is trained on what. */
export function adapterLine(census: Census): string {
  const families = census.families.filter((family) => family.own).map((family) => family.name);
  return (
    `adapter ${census.adapter}: ${census.ceRows} CE rows (${families.join(', ')}), anchor pool ${census.anchorPool}, ` +
    `held out ${census.heldOutRows}, ${census.ranks} ${census.ranks === 1 ? 'rank' : 'ranks'}`
  );
}

export function preparedLines(prepared: PreparedRun): string[] {
  const { census, badRows, linkTargets, model } = prepared;
  return [
    adapterLine(census),
    '',
    formatCensus(census),
    `model ${model.name}${model.revision ? ` at ${model.revision}` : ''}`,
    ...(badRows.found > 0
      ? [`${badRows.found} rows cannot be used and are left out (--allow-bad ${badRows.allowed})`]
      : []),
    ...(linkTargets.length > 0 ? [`episodes are links into ${linkTargets.join(', ')}`] : []),
  ];
}
