/**
 * What a recipe is to the rest of the program: a way from settings and rows to a plan. The trainer knows terms, not recipes; whatever a method is about happens
 * before the plan is written.
 */
import type { Census, CensusWarning } from '../contract/census.ts';
import type { Plan } from '../contract/plan.ts';
import type { EncodedRow, Pool, PoolRow } from '../contract/pool.ts';
import type { SettingDescription } from '../contract/settings.ts';
import type { RecipeFlag } from './flags.ts';

/** Everything of a plan that no setting says. */
export interface PlanTarget {
  /** Of the run. */
  name: string;
  /** Where a row's encoded form is; undefined when it has none, which is an error for the rows of `neededRows`. */
  encoded: (row: PoolRow) => EncodedRow | undefined;
  hardware: {
    /** CPU threads of a trainer process, where the settings name none. */
    threads: number;
    /** auto, cpu, cuda, cuda:N, where the settings say auto. */
    device: string;
  };
  model: {
    /** Folder with config.json and safetensors. */
    path: string;
    /** What goes into adapter_config.json and meta files, e.g. a hub id. */
    name: string;
    revision: string | null;
  };
  paths: {
    /** The adapter's folder, absolute. */
    output: string;
    rowsFolders: readonly string[];
    /** The file that the episode ids came from, for the meta file. */
    episodeIdsFile?: string | null;
  };
  /** Found elsewhere, to be shown with the census's own. */
  warnings?: readonly CensusWarning[];
}

/** Settings and pool, with the order drawn: all that can be said before a row is encoded. */
export interface Draft {
  /** Rows that the plan visits or evaluates, in pool order: these have to be encoded. Row i here is row i of the plan. */
  neededRows: readonly PoolRow[];
}

/** Something about one setting, for a form that shows all of them at once. */
export interface SettingProblem {
  setting: string;
  severity: 'error' | 'warning' | 'info';
  code: string;
  message: string;
  hint: string | null;
  /** A change that would settle it. */
  repair: { label: string; settings: Record<string, unknown> } | null;
}

/** What an adapter that a run starts from says about itself. */
export interface StartAdapter {
  path: string;
  rank: number;
  alpha: number;
  base: string;
  tensors: number;
}

export interface Recipe<Settings, D extends Draft> {
  id: string;
  /** One line, for people. */
  title: string;
  settings: readonly SettingDescription[];
  /** The flags of the Python trainer and ours. */
  flags: readonly RecipeFlag[];
  /** Sections of a form, in order; every setting is in exactly one. */
  groups: readonly { title: string; settings: readonly string[] }[];
  /** Families by preset, and those that are known by name. */
  presets: Readonly<Record<string, readonly string[]>>;
  families: readonly string[];
  /**
   * Everything that is wrong with settings as they were entered, cheap enough to be asked at every change: no row is read.
   * @param modelName what the base model is called; null where none was found.
   */
  findProblems: (input: Readonly<Record<string, unknown>>, modelName: string | null, ranks: number) => SettingProblem[];
  /** The adapter that the settings start from; null without one, or with one that cannot be read (`findProblems` says why). */
  startAdapter: (input: Readonly<Record<string, unknown>>) => StartAdapter | null;
  /** Fills in defaults and refuses what cannot be. Throws AppError. */
  parseSettings: (input: unknown) => Settings;
  /** Looks at what the settings name on disk (an adapter to start from); call it before anything expensive. Throws AppError. */
  checkFiles: (settings: Settings, modelName: string) => CensusWarning[];
  /** Selects rows and draws their order; pure. Throws AppError. */
  prepare: (settings: Settings, pool: Pool, ranks: number) => D;
  /** Pure. Throws AppError `not-encoded`. */
  plan: (draft: D, target: PlanTarget) => { plan: Plan; census: Census };
}
