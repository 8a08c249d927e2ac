/** Webmix: CE on the rows of an adapter's families, and a KL anchor to the model before training on rows of the others. */
import type { Recipe } from '../recipe.ts';
import { adapterPresets, knownFamilies } from './families.ts';
import { findWebmixProblems, webmixStartAdapter } from './find-problems.ts';
import { webmixFlags } from './flags.ts';
import { webmixGroups } from './groups.ts';
import { checkInitAdapter } from './init-adapter.ts';
import { planWebmix, prepareWebmix } from './plan.ts';
import type { WebmixDraft } from './plan.ts';
import { parseWebmixSettings, webmixSettings } from './settings.ts';
import type { WebmixSettings } from './settings.ts';

export const webmix: Recipe<WebmixSettings, WebmixDraft> = {
  id: 'webmix',
  title: "CE on an adapter's families, KL anchor on the rows of the others",
  settings: webmixSettings,
  flags: webmixFlags,
  groups: webmixGroups,
  presets: adapterPresets,
  families: knownFamilies,
  findProblems: findWebmixProblems,
  startAdapter: webmixStartAdapter,
  parseSettings: parseWebmixSettings,
  checkFiles: checkInitAdapter,
  prepare: prepareWebmix,
  plan: planWebmix,
};
