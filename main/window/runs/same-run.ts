/** What would make the same run again, from its history and plan: the base of its command line and of a draft that begins from it. */
import type { DraftRequest } from '../../contract/window/draft.ts';
import { isRecipeId, recipes } from '../../recipes/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { PlanFacts } from './plan-facts.ts';

/** null for a plan that no recipe of ours makes, or whose rows folders are not told. Name and output are the run's own. */
export function requestOfRun(record: RunRecord, facts: PlanFacts | undefined): DraftRequest | null {
  const { recipe, settings, model, output, name, ranks, badRows } = record;
  if (!isRecipeId(recipe) || !facts || facts.rowsFolders.length === 0) return null;
  const names = new Set<string>(recipes[recipe].settings.map((setting) => setting.name));
  return {
    recipe,
    settings: Object.fromEntries(Object.entries(settings).filter(([key]) => names.has(key))),
    // A folder as it was given; a hub id with the revision that was trained on.
    model: model.name === model.path || model.revision === null ? model.name : `${model.name}@${model.revision}`,
    processor: null,
    rowsFolders: facts.rowsFolders,
    output,
    name,
    allowBad: badRows.allowed,
    ranks,
    episodeIdsFile: facts.episodeIdsFile,
  };
}
