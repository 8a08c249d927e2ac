/**
 * Everything that is wrong or surprising about webmix settings as they stand in a form: each setting by itself, settings against one another, and the adapter
 * to start from. `parseWebmixSettings` refuses at the first fault; a form shows all of them, each at its field, with the change that would settle it.
 */
import { AppError } from '../../contract/errors.ts';
import type { SettingProblem, StartAdapter } from '../recipe.ts';
import { describeInitAdapter, initAdapterFaults, initAdapterWarnings } from './init-adapter.ts';
import {
  settingFaults,
  webmixSettings,
  webmixSettingsSchema,
  type SettingFault,
  type WebmixSettingName,
  type WebmixSettings,
} from './settings.ts';

type Input = Readonly<Record<string, unknown>>;

export function findWebmixProblems(input: Input, modelName: string | null, ranks: number): SettingProblem[] {
  const { settings, possible, problems } = parseEach(input);
  // A rule over settings of which one is impossible would only repeat what is said at that one.
  const concerns: Partial<Record<WebmixSettingName, WebmixSettingName[]>> = {
    families: ['adapter', 'families'],
    adapter: ['adapter', 'families'],
  };
  for (const fault of settingFaults(settings)) {
    if (!(concerns[fault.setting] ?? [fault.setting]).every((name) => possible.has(name))) continue;
    problems.push({ ...fault, severity: 'error', repair: repairOf(fault, settings) });
  }
  problems.push(...initProblems(settings, possible, modelName));
  if (possible.has('gradAccum')) problems.push(...batchProblems(settings.gradAccum, ranks));
  problems.push(...idleSettings(settings, input));
  return problems;
}

/** Each setting by itself. One that is impossible counts as its default from here on, and is not in `possible`. */
function parseEach(input: Input): {
  settings: WebmixSettings;
  possible: Set<WebmixSettingName>;
  problems: SettingProblem[];
} {
  const parsed: Record<string, unknown> = {};
  const possible = new Set<WebmixSettingName>();
  const problems: SettingProblem[] = [];
  for (const { name, flag, meaning, default: fallback } of webmixSettings) {
    const schema = webmixSettingsSchema.shape[name];
    const result = schema.safeParse(input[name]);
    if (result.success) {
      parsed[name] = result.data;
      possible.add(name);
      continue;
    }
    parsed[name] = fallback;
    const given = input[name];
    const shown = given === undefined ? 'nothing' : typeof given === 'number' ? String(given) : JSON.stringify(given);
    problems.push({
      setting: name,
      severity: 'error',
      code: 'bad-setting',
      message: `${name} ${result.error.issues[0]?.message ?? 'cannot be this'}, not ${shown}`,
      hint: `${flag}: ${meaning} (default ${fallback === null ? 'none' : JSON.stringify(fallback)}).`,
      repair: { label: `Set ${fallback === null ? 'none' : String(fallback)}`, settings: { [name]: fallback } },
    });
  }
  for (const name of Object.keys(input))
    if (!Object.hasOwn(webmixSettingsSchema.shape, name))
      problems.push({
        ...{ setting: name, severity: 'error', code: 'unknown-setting', message: `there is no setting ${name}` },
        hint: `The settings are ${webmixSettings.map((each) => each.name).join(', ')}.`,
        repair: null,
      });
  return { settings: parsed as WebmixSettings, possible, problems };
}

function repairOf(fault: SettingFault, settings: WebmixSettings): SettingProblem['repair'] {
  switch (fault.setting) {
    case 'families':
      return { label: `Keep the preset ${settings.adapter ?? ''}`, settings: { families: null } };
    case 'device':
      return { label: 'Set auto', settings: { device: 'auto' } };
    default:
      return null;
  }
}

function initProblems(
  settings: WebmixSettings,
  possible: ReadonlySet<WebmixSettingName>,
  modelName: string | null,
): SettingProblem[] {
  const { initAdapter: folder } = settings;
  if (folder === null) return [];
  try {
    const faults = initAdapterFaults(settings, folder).filter(({ setting }) => possible.has(setting));
    const problems = faults.map((fault): SettingProblem => {
      const [change] = Object.entries(fault.settings ?? {});
      return {
        ...{ setting: fault.setting, severity: 'error', code: 'init-adapter-differs' },
        ...{ message: fault.message, hint: fault.hint },
        repair: change ? { label: `Set ${change[1]}`, settings: { [change[0]]: change[1] } } : null,
      };
    });
    const warnings = modelName === null ? [] : initAdapterWarnings(folder, modelName);
    return [
      ...problems,
      ...warnings.map(({ code, message }): SettingProblem => ({
        ...{ setting: 'initAdapter', severity: 'warning', code, message },
        hint: 'An adapter fits the model that it was trained on; go on only where another base is the experiment.',
        repair: null,
      })),
    ];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, hint } = error;
    return [{ setting: 'initAdapter', severity: 'error', code, message, hint: hint ?? null, repair: null }];
  }
}

/** As the Python trainer cuts it: rows a rank and step are max(1, gradAccum // ranks). */
function batchProblems(gradAccum: number, ranks: number): SettingProblem[] {
  const effective = Math.max(1, Math.floor(gradAccum / ranks)) * ranks;
  if (effective === gradAccum) return [];
  const next = Math.ceil(gradAccum / ranks) * ranks;
  return [
    {
      ...{ setting: 'gradAccum', severity: 'warning', code: 'batch-differs' },
      message: `${gradAccum} on ${ranks} ranks trains ${effective} rows a step (${effective / ranks} a rank), as the Python trainer does`,
      hint: next === effective ? null : `${next} would give ${next}.`,
      repair: { label: `Set ${next}`, settings: { gradAccum: next } },
    },
  ];
}

/** Settings that were set and do nothing. */
function idleSettings(settings: WebmixSettings, input: Input): SettingProblem[] {
  const isSet = (name: WebmixSettingName): boolean => {
    const fallback = webmixSettings.find((each) => each.name === name)?.default;
    return input[name] !== undefined && input[name] !== fallback;
  };
  const idle = (setting: WebmixSettingName, message: string): SettingProblem => ({
    ...{ setting, severity: 'info', code: 'setting-ignored', message, hint: null, repair: null },
  });
  return [
    ...(settings.beta === 0 && isSet('anchorRatio') ? [idle('anchorRatio', 'has no effect with beta 0')] : []),
    ...(settings.frac > 1 ? [idle('frac', `${settings.frac} keeps every episode, as 1 does`)] : []),
  ];
}

export function webmixStartAdapter(input: Input): StartAdapter | null {
  const folder = input['initAdapter'];
  if (typeof folder !== 'string' || folder === '') return null;
  try {
    return describeInitAdapter(folder);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
