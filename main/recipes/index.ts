/** The recipes, one line each. */
import { webmix } from './webmix/recipe.ts';

export const recipes = { webmix };
export type RecipeId = keyof typeof recipes;

export function isRecipeId(id: string): id is RecipeId {
  return Object.hasOwn(recipes, id);
}
