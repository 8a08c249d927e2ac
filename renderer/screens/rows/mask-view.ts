/** How a token is drawn under the three ways to look at the masks, and how many tokens each mask holds. */
import type { TargetTokens } from '../../../main/contract/window/rows.ts';

export const maskViews = ['all', 'action', 'difference'] as const;
export type MaskView = (typeof maskViews)[number];

/**
 * prompt: given, never trained. supervised: carries CE under ce_on all only. action: carries CE under ce_on action too, and KL. off: supervised, but not in
 * the mask that is looked at. changed: in one of the two masks only.
 */
export type TokenLook = 'prompt' | 'supervised' | 'action' | 'off' | 'changed';

type Masks = Pick<TargetTokens, 'supervised' | 'action'>;

export function tokenLook({ supervised, action }: Masks, index: number, view: MaskView): TokenLook {
  if (supervised[index] !== 1) return 'prompt';
  const isAction = action[index] === 1;
  switch (view) {
    case 'all':
      return isAction ? 'action' : 'supervised';
    case 'action':
      return isAction ? 'action' : 'off';
    case 'difference':
      return isAction ? 'off' : 'changed';
  }
}

/** Name of the class that draws it. */
export function lookClass(look: TokenLook, isFallback: boolean): string {
  if (look === 'action' && isFallback) return 'lookFell';
  return {
    prompt: 'lookPrompt',
    supervised: 'lookSupervised',
    action: 'lookAction',
    off: 'lookOff',
    changed: 'lookChanged',
  }[look];
}

export function nextView(view: MaskView): MaskView {
  return maskViews[(maskViews.indexOf(view) + 1) % maskViews.length] ?? 'all';
}

/** Tokens that carry a loss under ce_on all and under ce_on action. */
export function maskCounts({ supervised, action }: Masks): { supervised: number; action: number } {
  return {
    supervised: supervised.reduce((sum, each) => sum + each, 0),
    action: action.reduce((sum, each, index) => sum + (each === 1 && supervised[index] === 1 ? 1 : 0), 0),
  };
}

export interface FieldCount {
  name: string;
  tokens: number;
  action: number;
}

/** Supervised tokens by field, in the order in which fields first occur in the target. */
export function fieldCounts(tokens: Pick<TargetTokens, 'supervised' | 'action' | 'field' | 'fields'>): FieldCount[] {
  const counts = new Map<string, FieldCount>();
  tokens.supervised.forEach((supervised, index) => {
    if (supervised !== 1) return;
    const name = tokens.fields[tokens.field[index] ?? 255] ?? 'none';
    const count = counts.get(name) ?? { name, tokens: 0, action: 0 };
    count.tokens++;
    count.action += tokens.action[index] === 1 ? 1 : 0;
    counts.set(name, count);
  });
  return [...counts.values()];
}

/** Of a token, for those who cannot see the line under it. */
export function maskWords(masks: Masks, index: number, isFallback: boolean): string {
  if (masks.supervised[index] !== 1) return 'prompt, not trained';
  if (masks.action[index] !== 1) return 'supervised, not action';
  return isFallback ? 'supervised, action by fallback' : 'supervised, action';
}
