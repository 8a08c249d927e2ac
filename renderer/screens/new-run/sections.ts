/** The form's sections in order: the recipe's groups, with the fields that every run has in the three that they belong to. */
import type { DraftField, RecipeForm } from '../../../main/contract/window/draft.ts';

export interface FormSection {
  title: string;
  /** Fields of the run above and below the recipe's settings. */
  before: readonly DraftField[];
  settings: readonly string[];
  after: readonly DraftField[];
}

const own: Record<string, Pick<FormSection, 'before' | 'after'>> = {
  Model: { before: ['model', 'processor'], after: [] },
  Rows: { before: ['rowsFolders'], after: [] },
  Machine: { before: [], after: ['output'] },
};

/** A recipe without a group of that name still has a model, rows and a place to write to. */
export function formSections(recipe: Pick<RecipeForm, 'groups'>): FormSection[] {
  const sections = recipe.groups.map(({ title, settings }) => ({
    ...{ title, settings },
    before: own[title]?.before ?? [],
    after: own[title]?.after ?? [],
  }));
  const missing = (title: string): FormSection[] =>
    sections.some((section) => section.title === title)
      ? []
      : [{ title, settings: [], before: own[title]?.before ?? [], after: own[title]?.after ?? [] }];
  return [...missing('Model'), ...missing('Rows'), ...sections, ...missing('Machine')];
}

/** Every field from top to bottom; the name stands at the launch button, so it is last. */
export function fieldOrder(sections: readonly FormSection[]): DraftField[] {
  return [...sections.flatMap(({ before, settings, after }) => [...before, ...settings, ...after]), 'name'];
}
