/** Sections of the form, in the order in which a person thinks of a run: from what it starts, on what it trains, for what, how, and where. */
import type { WebmixSettingName } from './settings.ts';

export const webmixGroups: readonly { title: string; settings: readonly WebmixSettingName[] }[] = [
  { title: 'Model', settings: ['initAdapter'] },
  { title: 'Rows', settings: ['adapter', 'families', 'frac', 'limit', 'excludeVariants', 'dropDone', 'episodeIds'] },
  { title: 'Objective', settings: ['ceOn', 'beta', 'anchorRatio'] },
  {
    title: 'Training',
    settings: ['epochs', 'maxSteps', 'lr', 'gradAccum', 'rank', 'alpha', 'dropout', 'seed'],
  },
  { title: 'Machine', settings: ['device', 'threads', 'dtype', 'branchDtype', 'recompute'] },
  { title: 'Evaluation and saving', settings: ['heldOutRows', 'saveEvery'] },
];
