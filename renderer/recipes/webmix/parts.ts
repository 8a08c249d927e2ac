/** What is only webmix's in the form of a run. */
import type { RecipeParts } from '../index.ts';
import { EpisodesField } from './episodes-field.tsx';
import { FamiliesField } from './families-field.tsx';
import { fixedSettings } from './fixed.ts';

export const webmixParts: RecipeParts = {
  controls: { adapter: FamiliesField, episodeIds: EpisodesField },
  drawnElsewhere: ['families'],
  fixed: fixedSettings,
  note(name, { check, checked }) {
    const adapter = checked ? check?.initAdapter : null;
    if (name === 'initAdapter' && adapter)
      return `r ${adapter.rank}, alpha ${adapter.alpha}; ${adapter.tensors} tensors; base ${adapter.base}`;
    return undefined;
  },
};
