/** The draft that would make a run again: what was asked for, as run.json keeps it, or for older runs and other programs' what the plan tells. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../../contract/errors.ts';
import type { Plan } from '../../contract/plan.ts';
import type { DraftRequest } from '../../contract/window/draft.ts';
import { findModel } from '../../model/find-model.ts';
import { runsFolder, type Environment } from '../../paths.ts';
import { readPlan } from '../../plan/write-plan.ts';
import { isRecipeId, recipes } from '../../recipes/index.ts';
import { planFile, readRunFile } from '../../trainer/run-folder.ts';

/** Output and name are left open, so that the new run gets its own. Throws AppError: no-such-run, unknown-recipe, plan faults. */
export function draftFromRun(id: string, environment: Environment): DraftRequest {
  const folder = path.join(runsFolder(environment), path.basename(id));
  if (!existsSync(planFile(folder)))
    throw new AppError(
      'no-such-run',
      `the folder of the run ${id} is gone: ${folder}`,
      'Its settings stand on its page, as long as the history has it.',
    );
  return draftOfRunFolder(folder, environment);
}

function draftOfRunFolder(folder: string, environment: Environment): DraftRequest {
  const kept = readRunFile(folder)?.request;
  if (kept && isRecipeId(kept.recipe)) return { ...kept, output: null, name: null };
  return draftOfPlan(readPlan(planFile(folder)).plan, environment);
}

/** Throws AppError `unknown-recipe` for a plan that no recipe of ours made. */
export function draftOfPlan(plan: Plan, environment: Environment): DraftRequest {
  if (!isRecipeId(plan.recipe))
    throw new AppError(
      'unknown-recipe',
      `the run was made by ${JSON.stringify(plan.recipe)}, which is no recipe of this version`,
      'Its plan can be run again as it is: whetstone run --plan plan.json',
    );
  const settings = Object.fromEntries(
    recipes[plan.recipe].settings.flatMap(({ name, default: fallback }) => {
      const value = plan.settings[name];
      return value === undefined || JSON.stringify(value) === JSON.stringify(fallback) ? [] : [[name, value]];
    }),
  );
  const fields = plan.output.meta?.fields['args'];
  const args = typeof fields === 'object' && fields !== null ? (fields as Record<string, unknown>) : {};
  const rows = args['rows_dir'];
  const list = args['episode_ids'];
  const allowed = plan.settings['allowBad'];
  return {
    recipe: plan.recipe,
    settings,
    model: modelOf(plan, environment),
    processor: null,
    rowsFolders: [rows].flat().filter((each): each is string => typeof each === 'string'),
    output: null,
    name: null,
    allowBad: typeof allowed === 'number' && Number.isSafeInteger(allowed) && allowed >= 0 ? allowed : 0,
    ranks: plan.ranks,
    episodeIdsFile: typeof list === 'string' ? list : null,
  };
}

/** The hub id, where it still means the same files; else the folder. */
function modelOf({ model }: Plan, environment: Environment): string {
  if (model.name === model.path) return model.path;
  try {
    return findModel(model.name, environment).path === model.path ? model.name : model.path;
  } catch {
    return model.path;
  }
}
