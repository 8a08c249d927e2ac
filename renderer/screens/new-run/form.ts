/** What every field of the form may need, without handing it through each level. */
import { createContext, useContext } from 'react';
import type { TrainerDevice } from '../../../main/contract/window/app.ts';
import type {
  DraftCheck,
  DraftProblem,
  DraftRequest,
  ModelChoice,
  PoolFacts,
  RecipeForm,
} from '../../../main/contract/window/draft.ts';
import type { SettingDescription } from '../../../main/contract/settings.ts';
import type { FieldState } from '../../components/text-input.tsx';
import { worst } from './problems.ts';

export interface Form {
  recipe: RecipeForm;
  request: DraftRequest;
  texts: Readonly<Record<string, string>>;
  /** The newest answer; of what stands in the form now only where `checked`. */
  check: DraftCheck | null;
  checked: boolean;
  problems: readonly DraftProblem[];
  /** Of the folders in the form; null while they are read, or cannot be. */
  pool: PoolFacts | null;
  poolKey: string;
  models: readonly ModelChoice[] | null;
  devices: readonly TrainerDevice[];
  /** Settings that another field decides, and how. */
  fixed: Readonly<Record<string, string>>;
}

export const FormContext = createContext<Form | null>(null);

export function useForm(): Form {
  const form = useContext(FormContext);
  if (form === null) throw new Error('a field outside of the form');
  return form;
}

export function useFieldProblems(name: string): DraftProblem[] {
  return useForm().problems.filter(({ field }) => field === name);
}

export const fieldId = (name: string): string => `new-run-${name}`;
export const problemsId = (name: string): string => `new-run-${name}-problems`;

/** The frame of a field: what is wrong counts more than that it was changed. */
export function frameState(problems: readonly DraftProblem[], fixed: boolean): FieldState {
  const state = worst(problems);
  return state ?? (fixed ? 'fixed' : 'plain');
}

export function settingOf(form: Form, name: string): SettingDescription | undefined {
  return form.recipe.settings.find((setting) => setting.name === name);
}
