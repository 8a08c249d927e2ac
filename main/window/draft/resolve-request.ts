/**
 * Paths of a draft as this machine takes them. In a window nothing says what a relative path would be relative to, so only absolute ones and ~/ count; a model
 * may be a hub id.
 */
import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { AppError } from '../../contract/errors.ts';
import type { DraftProblem, DraftRequest } from '../../contract/window/draft.ts';
import { fileError } from '../../io/atomic-file.ts';
import { findHubModel, findModel, isHubId, type FoundModel } from '../../model/find-model.ts';
import type { Environment } from '../../paths.ts';
import { isRecipeId, recipes, type RecipeId } from '../../recipes/index.ts';
import { splitLikePython } from '../../recipes/webmix/episode-list.ts';
import type { RunRequest } from '../../trainer/launch.ts';
import { expandHome } from '../expand-home.ts';

/** The base model that was entered: a hub id is looked for in the cache alone, never below our own current folder. Throws AppError `no-such-model`. */
export function findEntered(model: string, environment: Environment): FoundModel {
  return isHubId(model) ? findHubModel(model, environment) : findModel(model, environment);
}

/** Settings of a recipe that are folders. */
const folderSettings = (recipe: string): string[] =>
  isRecipeId(recipe)
    ? recipes[recipe].settings.filter(({ metavar }) => metavar === 'FOLDER').map(({ name }): string => name)
    : [];

export interface ResolvedRequest {
  request: DraftRequest;
  problems: DraftProblem[];
}

/** The request with ~ expanded, and a problem for every path that is relative. Empty optional paths become null. */
export function resolveRequest(entered: DraftRequest, home: string = os.homedir()): ResolvedRequest {
  const problems: DraftProblem[] = [];
  const absolute = (field: string, text: string): string => {
    const expanded = expandHome(text, home);
    if (expanded.includes('\0'))
      problems.push({
        ...{ field, severity: 'error', code: 'bad-path', repair: null },
        message: `${JSON.stringify(expanded)} holds a character that no path can have`,
        hint: 'Enter the path anew.',
      });
    else if (expanded !== '' && !path.isAbsolute(expanded))
      problems.push({
        ...{ field, severity: 'error', code: 'relative-path', repair: null },
        message: `${expanded} is a relative path`,
        hint: 'Give the whole path, from / or ~/ on: a window has no current folder.',
      });
    return expanded;
  };
  const optional = (field: string, text: string | null): string | null =>
    text === null || text.trim() === '' ? null : absolute(field, text);
  const settings = { ...entered.settings };
  for (const name of folderSettings(entered.recipe)) {
    const value = settings[name];
    if (typeof value === 'string') settings[name] = optional(name, value);
  }
  const model = expandHome(entered.model, home);
  const request: DraftRequest = {
    ...entered,
    settings,
    model: isHubId(model) ? model : absolute('model', model),
    processor: optional('processor', entered.processor),
    rowsFolders: entered.rowsFolders.filter((each) => each.trim() !== '').map((each) => absolute('rowsFolders', each)),
    output: optional('output', entered.output),
    name: entered.name?.trim() ? entered.name.trim() : null,
    episodeIdsFile: optional('episodeIdsFile', entered.episodeIdsFile),
  };
  return { request, problems };
}

/** The file's task ids. Throws AppError. */
export function readEpisodeIds(file: string): string[] {
  try {
    return splitLikePython(readFileSync(file, 'utf8'));
  } catch (error) {
    throw fileError(error, 'read the episode list', file);
  }
}

/**
 * The request as `main/trainer` takes it. The episode list is read from its file where only the file was named. Throws AppError at the first path that is
 * relative, and for a recipe that is not there.
 */
export function launchable(entered: DraftRequest, environment: Environment): RunRequest {
  const { request, problems } = resolveRequest(entered);
  const [problem] = problems;
  if (problem) throw new AppError(problem.code, problem.message, problem.hint ?? undefined);
  if (!isRecipeId(request.recipe)) throw noSuchRecipe(request.recipe);
  const { settings, episodeIdsFile } = request;
  const recipe: RecipeId = request.recipe;
  return {
    ...request,
    recipe,
    model: isHubId(request.model) ? findEntered(request.model, environment).path : request.model,
    settings:
      episodeIdsFile !== null && (settings['episodeIds'] ?? null) === null
        ? { ...settings, episodeIds: readEpisodeIds(episodeIdsFile) }
        : settings,
  };
}

export function noSuchRecipe(recipe: string): AppError {
  return new AppError(
    'no-such-recipe',
    `there is no recipe ${recipe}`,
    `Recipes are ${Object.keys(recipes).join(', ')}.`,
  );
}
