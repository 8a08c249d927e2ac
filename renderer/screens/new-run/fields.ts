/**
 * Between a setting's value and what stands in its field. A number is edited as text: what is no number stays in the request as the text that it is, so that
 * it is refused in place and can never turn into a default.
 */
import type { SettingDescription } from '../../../main/contract/settings.ts';

type Settings = Readonly<Record<string, unknown>>;

/** A fault that can be told without asking the main process. */
export interface FieldFault {
  message: string;
  hint: string;
}

/** `anchorRatio` as it is called on the command line and in the form: anchor-ratio. */
export function settingLabel(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Shortest text that reads back as the same number: 0.0001 is 1e-4. */
export function numberText(value: number): string {
  const size = Math.abs(value);
  return size !== 0 && (size < 0.001 || size >= 1e9) ? value.toExponential().replace('e+', 'e') : String(value);
}

/** null: no number. Thousands are not separated: "5,000" could be 5 elsewhere. */
export function readNumber(text: string): number | null {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim())) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

/** A value in a few words: none, on, drag, A, B. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'number') return numberText(value);
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(String).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function valueOf(setting: SettingDescription, settings: Settings): unknown {
  return setting.name in settings ? settings[setting.name] : setting.default;
}

export function isChanged(setting: SettingDescription, settings: Settings): boolean {
  return JSON.stringify(valueOf(setting, settings)) !== JSON.stringify(setting.default);
}

/** Ids of episodes are parted by white space, since they come from a file; names by commas, since they hold spaces. */
const isIdList = (setting: SettingDescription): boolean => setting.kind === 'list' && setting.metavar === 'FILE';

/** What stands in the setting's field. */
export function fieldText(
  setting: SettingDescription,
  settings: Settings,
  texts: Readonly<Record<string, string>>,
): string {
  const typed = texts[setting.name];
  if (typed !== undefined) return typed;
  const value = valueOf(setting, settings);
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(String).join(isIdList(setting) ? '\n' : ', ');
  return typeof value === 'number' ? numberText(value) : valueText(value);
}

/** What a typed text makes of the setting; undefined: its default. */
export function valueFromText(setting: SettingDescription, text: string): unknown {
  const trimmed = text.trim();
  switch (setting.kind) {
    case 'integer':
    case 'number': {
      // An empty number is only a value where none is the default (threads).
      if (trimmed === '') return setting.default === null ? undefined : text;
      const value = readNumber(text);
      if (value === null) return text;
      return value === setting.default ? undefined : value;
    }
    case 'list': {
      const parts = trimmed.split(isIdList(setting) ? /\s+/ : ',').map((part) => part.trim());
      const items = parts.filter((part) => part !== '');
      return items.length === 0 ? undefined : items;
    }
    case 'text':
    case 'choice':
      return trimmed === '' || trimmed === setting.default ? undefined : trimmed;
    case 'switch':
      return trimmed === 'on';
  }
}

export function fieldFault(setting: SettingDescription, settings: Settings): FieldFault | null {
  if (setting.kind !== 'integer' && setting.kind !== 'number') return null;
  const value = valueOf(setting, settings);
  if (typeof value !== 'string') return null;
  const label = settingLabel(setting.name);
  const usual = typeof setting.default === 'number' ? numberText(setting.default) : '4';
  const example = setting.name === 'lr' ? '1e-4 or 0.0001' : usual;
  if (value.trim() === '') return { message: `${label} is empty`, hint: `Write a number; the default is ${usual}` };
  return { message: `${label} is not a number: ${value.trim()}`, hint: `Write it as in ${example}` };
}
