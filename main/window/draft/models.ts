/** Base models that can be chosen: those in the hub's cache, the one that the environment names, the demo's, and folders that runs were made from. */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../../contract/errors.ts';
import type { ModelChoice } from '../../contract/window/draft.ts';
import { checkModel } from '../../model/check-model.ts';
import { hubCaches, isHubId, type FoundModel } from '../../model/find-model.ts';
import { projectFolder, runsFolder, type Environment } from '../../paths.ts';
import { listRunIds, readRunFile } from '../../trainer/run-folder.ts';
import { findEntered } from './resolve-request.ts';

/** Runs that are looked through for folders of models. */
const recentRuns = 50;

/** What config.json says about a model, as far as people know it by that. */
export interface ModelAbout {
  /** As transformers calls it, e.g. Qwen3_5ForConditionalGeneration; else the model_type. */
  architecture: string;
  /** Of its weights, as config.json has it (bfloat16, float32, ...); null where it does not say. */
  dtype: string | null;
}

/** Throws AppError `model-config`. */
export function modelAbout(folder: string): ModelAbout {
  const file = path.join(folder, 'config.json');
  let config: { architectures?: unknown; model_type?: unknown; torch_dtype?: unknown; dtype?: unknown };
  try {
    config = JSON.parse(readFileSync(file, 'utf8')) as typeof config;
  } catch (error) {
    throw new AppError('model-config', `${file} cannot be read`, 'Give the folder of a model.', { cause: error });
  }
  const [named] = Array.isArray(config.architectures) ? (config.architectures as unknown[]) : [];
  const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
  return {
    architecture: text(named) ?? text(config.model_type) ?? 'unknown',
    dtype: text(config.dtype) ?? text(config.torch_dtype),
  };
}

/** Bytes of the weight files, links followed. */
export function weightBytes(folder: string): number {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.safetensors'))
    .reduce((sum, name) => sum + (statSync(path.join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);
}

function choice(id: string, found: FoundModel): ModelChoice | null {
  if (!existsSync(path.join(found.path, 'config.json'))) return null;
  const base = { id, path: found.path, revision: found.revision };
  try {
    const { architecture } = modelAbout(found.path);
    return { ...base, bytes: weightBytes(found.path), architecture, problem: problemOf(found.path) };
  } catch (error) {
    if (!(error instanceof AppError)) return null;
    return { ...base, bytes: 0, architecture: 'unknown', problem: error.message };
  }
}

function problemOf(folder: string): string | null {
  try {
    checkModel(folder);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

/** Those that can be trained first, then by name. */
export function listModels(environment: Environment): ModelChoice[] {
  const choices = new Map<string, ModelChoice>();
  const add = (id: string): void => {
    try {
      const model = choice(id, findEntered(id, environment));
      if (model && ![...choices.values()].some((each) => each.path === model.path)) choices.set(id, model);
    } catch (error) {
      // Not there (any more): nothing to choose.
      if (!(error instanceof AppError)) throw error;
    }
  };
  for (const id of hubIds(environment)) add(id);
  const named = environment['WEBMIX_BASE_MODEL'];
  if (named && (path.isAbsolute(named) || isHubId(named))) add(named);
  for (const folder of modelsOfRuns(environment)) add(folder);
  add(path.join(projectFolder, 'demo', 'model'));
  return [...choices.values()].sort(
    (a, b) => Number(a.problem !== null) - Number(b.problem !== null) || a.id.localeCompare(b.id, 'en'),
  );
}

/** Every snapshot in the hub's caches: by its id where that means it, else with its revision. */
function hubIds(environment: Environment): string[] {
  const ids: string[] = [];
  for (const cache of hubCaches(environment)) {
    for (const name of namesIn(cache)) {
      const [, owner, model] = /^models--(.+?)--(.+)$/.exec(name) ?? [];
      if (!owner || !model) continue;
      const id = `${owner}/${model}`;
      ids.push(id, ...namesIn(path.join(cache, name, 'snapshots')).map((revision) => `${id}@${revision}`));
    }
  }
  return ids;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    // A cache that is not there, or not ours to read, holds no model.
    return [];
  }
}

function modelsOfRuns(environment: Environment): Set<string> {
  const runs = runsFolder(environment);
  const folders = new Set<string>();
  for (const id of listRunIds(runs).slice(-recentRuns)) {
    try {
      const model = readRunFile(path.join(runs, id))?.request?.model;
      if (model && path.isAbsolute(model)) folders.add(model);
    } catch {
      // A damaged run says nothing about models.
    }
  }
  return folders;
}
