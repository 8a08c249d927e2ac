/** What a recipe adds to the form by itself; one line a recipe. A recipe without an entry has a complete form from its descriptions alone. */
import type { ComponentType } from 'react';
import type { SettingDescription } from '../../main/contract/settings.ts';
import type { DraftCheck } from '../../main/contract/window/draft.ts';
import type { Form } from '../screens/new-run/form.ts';
import { webmixParts } from './webmix/parts.ts';

export interface RecipeParts {
  /** Own field lines, by setting. */
  controls: Readonly<Record<string, ComponentType<{ setting: SettingDescription }> | undefined>>;
  /** Settings that another one's control edits too. */
  drawnElsewhere: readonly string[];
  /** Settings that another field decides, and how, in words. */
  fixed: (settings: Readonly<Record<string, unknown>>, check: DraftCheck | null) => Record<string, string>;
  /** Words in place of the meaning, where the form knows more. */
  note: (setting: string, form: Form) => string | undefined;
}

const plain: RecipeParts = { controls: {}, drawnElsewhere: [], fixed: () => ({}), note: () => undefined };
const parts: Readonly<Record<string, RecipeParts>> = { webmix: webmixParts };

export const recipeParts = (recipe: string): RecipeParts => parts[recipe] ?? plain;
