/**
 * The settings of a webmix run: names and defaults of the Python trainer in camelCase, and a few of ours. One schema says what can be, one table says what each
 * means; the command line's help, the window's form and error messages come from these two.
 */
import { z } from 'zod';
import { AppError } from '../../contract/errors.ts';
import { parseSettings } from '../../contract/settings.ts';
import type { SettingDescription } from '../../contract/settings.ts';
import { adapterPresets } from './families.ts';
import { variantNames } from './variants.ts';

/** A number that fulfils `holds`; anything else is answered with `must`, e.g. "has to be more than 0". */
const number = (must: string, holds: (value: number) => boolean) =>
  z.custom<number>((value) => typeof value === 'number' && Number.isFinite(value) && holds(value), { error: must });

const whole = (least: number) =>
  number(`has to be a whole number of ${least} or more`, (v) => Number.isSafeInteger(v) && v >= least);
const positive = () => number('has to be a finite number of more than 0', (v) => v > 0);
const notNegative = () => number('has to be a finite number of 0 or more', (v) => v >= 0);
const flag = () => z.boolean({ error: 'has to be true or false' });
const choice = <const T extends readonly [string, ...string[]]>(names: T) =>
  z.enum(names, { error: `has to be one of ${names.join(', ')}` });
const text = () => z.string({ error: 'has to be text' }).min(1, { error: 'has to be text that is not empty' });
const names = () => z.array(text(), { error: 'has to be a list of names' });

export const webmixSettingsSchema = z.strictObject(
  {
    adapter: text().nullable().default(null),
    families: names().min(1, { error: 'has to name at least one family' }).nullable().default(null),
    epochs: positive().default(3),
    lr: positive().default(1e-4),
    rank: whole(1).default(16),
    alpha: positive().default(32),
    dropout: number('has to be a number from 0 to under 1', (v) => v >= 0 && v < 1).default(0.05),
    gradAccum: whole(1).default(8),
    beta: notNegative().default(0.1),
    anchorRatio: notNegative().default(0.5),
    limit: whole(0).default(0),
    maxSteps: whole(0).default(0),
    saveEvery: whole(0).default(5000),
    seed: whole(0).default(0),
    ceOn: choice(['all', 'action']).default('all'),
    excludeVariants: names().default([]),
    frac: positive().default(1),
    episodeIds: names().nullable().default(null),
    initAdapter: text().nullable().default(null),
    dropDone: flag().default(false),
    heldOutRows: whole(0).default(200),
    dtype: choice(['bfloat16', 'float32']).default('bfloat16'),
    branchDtype: choice(['float32', 'bfloat16']).default('float32'),
    recompute: flag().default(true),
    threads: whole(1).nullable().default(null),
    device: text().default('auto'),
  },
  { error: (issue) => (issue.code === 'unrecognized_keys' ? undefined : 'have to be an object') },
);

export type WebmixSettings = z.output<typeof webmixSettingsSchema>;
export type WebmixSettingsInput = z.input<typeof webmixSettingsSchema>;
export type WebmixSettingName = keyof WebmixSettings;

/** In the order of help and form. */
export const webmixSettings: readonly SettingDescription<WebmixSettingName>[] = [
  {
    name: 'adapter',
    kind: 'choice',
    flag: '--adapter',
    metavar: 'PRESET',
    default: null,
    choices: Object.keys(adapterPresets),
    meaning: 'preset of families that get CE; every other family is the anchor pool',
  },
  {
    name: 'families',
    kind: 'list',
    flag: '--families',
    metavar: 'A,B',
    default: null,
    meaning: 'families that get CE, by name, in place of a preset',
  },
  {
    name: 'epochs',
    kind: 'number',
    flag: '--epochs',
    metavar: 'N',
    default: 3,
    min: 0,
    meaning: 'passes over the rows; a part of one is allowed',
  },
  { name: 'lr', kind: 'number', flag: '--lr', metavar: 'LR', default: 1e-4, min: 0, meaning: 'peak learning rate' },
  { name: 'rank', kind: 'integer', flag: '--rank', metavar: 'R', default: 16, min: 1, meaning: 'rank of the adapter' },
  {
    name: 'alpha',
    kind: 'number',
    flag: '--alpha',
    metavar: 'A',
    default: 32,
    min: 0,
    meaning: 'the adapter is scaled by alpha / rank',
  },
  {
    name: 'dropout',
    kind: 'number',
    flag: '--dropout',
    metavar: 'P',
    default: 0.05,
    min: 0,
    max: 1,
    meaning: 'dropout on the input of the adapter',
  },
  {
    name: 'gradAccum',
    kind: 'integer',
    flag: '--grad-accum',
    metavar: 'N',
    default: 8,
    min: 1,
    meaning: 'rows of an optimizer step, over all GPUs (cut to a multiple of their number)',
  },
  {
    name: 'beta',
    kind: 'number',
    flag: '--beta',
    metavar: 'B',
    default: 0.1,
    min: 0,
    meaning: 'weight of the KL anchor; 0 means no anchor rows',
  },
  {
    name: 'anchorRatio',
    kind: 'number',
    flag: '--anchor-ratio',
    metavar: 'X',
    default: 0.5,
    min: 0,
    meaning: 'anchor rows for each CE row, drawn anew every epoch',
  },
  {
    name: 'limit',
    kind: 'integer',
    flag: '--limit',
    metavar: 'N',
    default: 0,
    min: 0,
    meaning: 'keep at most so many CE rows, chosen at random; 0 means all',
  },
  {
    name: 'maxSteps',
    kind: 'integer',
    flag: '--max-steps',
    metavar: 'N',
    default: 0,
    min: 0,
    meaning: 'stop after so many ROWS (not optimizer steps); 0 means no stop',
  },
  {
    name: 'saveEvery',
    kind: 'integer',
    flag: '--save-every',
    metavar: 'N',
    default: 5000,
    min: 0,
    meaning: 'also save the adapter every so many rows; 0 means at the ends of epochs only',
  },
  {
    name: 'seed',
    kind: 'integer',
    flag: '--seed',
    metavar: 'N',
    default: 0,
    min: 0,
    meaning: 'seed of the order, the first weights and dropout',
  },
  {
    name: 'ceOn',
    kind: 'choice',
    flag: '--ce-on',
    metavar: 'WHAT',
    default: 'all',
    choices: ['all', 'action'],
    meaning: 'CE on the whole target, or on its action tokens only',
  },
  {
    name: 'excludeVariants',
    kind: 'list',
    flag: '--exclude-variants',
    metavar: 'A,B',
    default: [],
    choices: variantNames,
    meaning: 'variants of episodes to leave out',
  },
  {
    name: 'frac',
    kind: 'number',
    flag: '--frac',
    metavar: 'F',
    default: 1,
    min: 0,
    max: 1,
    meaning: 'train on this fraction of the episodes; smaller fractions lie within larger ones',
  },
  {
    name: 'episodeIds',
    kind: 'list',
    flag: '--episode-ids',
    metavar: 'FILE',
    default: null,
    meaning: 'train only on the trajectories listed in this file, by task id',
  },
  {
    name: 'initAdapter',
    kind: 'text',
    flag: '--init-adapter',
    metavar: 'FOLDER',
    default: null,
    meaning: 'start from this adapter (same rank and alpha) and anchor the KL rows to it in place of the base model',
  },
  {
    name: 'dropDone',
    kind: 'switch',
    flag: '--drop-done',
    default: false,
    meaning: 'leave out the final done step of every episode',
  },
  {
    name: 'heldOutRows',
    kind: 'integer',
    flag: '--held-out-rows',
    metavar: 'N',
    default: 200,
    min: 0,
    meaning: 'size of the fixed held-out set that every saved adapter is evaluated on; 0 means none',
  },
  {
    name: 'dtype',
    kind: 'choice',
    flag: '--dtype',
    metavar: 'DTYPE',
    default: 'bfloat16',
    choices: ['bfloat16', 'float32'],
    meaning: 'dtype of the base weights in memory',
  },
  {
    name: 'branchDtype',
    kind: 'choice',
    flag: '--branch-dtype',
    metavar: 'DTYPE',
    default: 'float32',
    choices: ['float32', 'bfloat16'],
    meaning: 'dtype in which the adapter computes; its weights are float32 always',
  },
  {
    name: 'recompute',
    kind: 'switch',
    flag: '--no-recompute',
    default: true,
    meaning: 'compute every layer again in the backward pass: less memory, more time',
  },
  {
    name: 'threads',
    kind: 'integer',
    flag: '--threads',
    metavar: 'N',
    default: null,
    min: 1,
    meaning: 'CPU threads of the trainer; runs on the CPU repeat bit for bit with the same number',
  },
  {
    name: 'device',
    kind: 'text',
    flag: '--device',
    metavar: 'DEVICE',
    default: 'auto',
    meaning: 'auto, cpu, cuda or cuda:N',
  },
];

/** What one setting forbids another, or what only a list of names can tell. Named by the setting at which it is best put right. */
export interface SettingFault {
  setting: WebmixSettingName;
  code: string;
  message: string;
  hint: string;
}

/** All of them, of settings that are each possible by themselves. */
export function settingFaults(settings: WebmixSettings): SettingFault[] {
  const { adapter, families } = settings;
  const presets = Object.keys(adapterPresets);
  const faults: SettingFault[] = [];
  const add = (setting: WebmixSettingName, code: string, message: string, hint: string): void =>
    void faults.push({ setting, code, message, hint });
  if (adapter !== null && families !== null)
    add(
      'families',
      'bad-setting',
      `adapter is ${adapter}, but families are listed too`,
      'Give a preset or a list of families, not both.',
    );
  if (adapter === null && families === null)
    add(
      'adapter',
      'bad-setting',
      'neither a preset of families (adapter) nor a list of families is given',
      `Presets are ${presets.join(', ')}.`,
    );
  if (adapter !== null && !presets.includes(adapter))
    add(
      'adapter',
      'unknown-adapter',
      `there is no adapter preset ${JSON.stringify(adapter)}`,
      `Presets are ${presets.join(', ')}; any other set of families can be given by name (--families).`,
    );
  const variants: readonly string[] = variantNames;
  const unknown = settings.excludeVariants.find((name) => !variants.includes(name));
  if (unknown !== undefined)
    add(
      'excludeVariants',
      'unknown-variant',
      `there is no variant ${JSON.stringify(unknown)} to leave out`,
      `Variants are ${variantNames.join(', ')}.`,
    );
  if (!/^(auto|cpu|cuda(:\d+)?)$/.test(settings.device))
    add(
      'device',
      'bad-setting',
      `device cannot be ${JSON.stringify(settings.device)}`,
      '--device: auto, cpu, cuda or cuda:N.',
    );
  return faults;
}

/** Fills in defaults and refuses what cannot be. Throws AppError: bad-setting, unknown-setting, unknown-adapter, unknown-variant. */
export function parseWebmixSettings(input: unknown): WebmixSettings {
  const settings = parseSettings(webmixSettingsSchema, webmixSettings, input);
  const [fault] = settingFaults(settings);
  if (fault) throw new AppError(fault.code, fault.message, fault.hint);
  return settings;
}

/** The families that get CE. */
export function chosenFamilies(settings: WebmixSettings): readonly string[] {
  return settings.families ?? adapterPresets[settings.adapter ?? ''] ?? [];
}
