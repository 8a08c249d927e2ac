/**
 * How a recipe describes its settings, so that one table makes the command line's help, the window's form and the messages about impossible values.
 */
import type { z } from 'zod';
import { AppError } from './errors.ts';

export type SettingKind = 'integer' | 'number' | 'text' | 'choice' | 'switch' | 'list';

export interface SettingDescription<Name extends string = string> {
  /** Key in the settings object. */
  name: Name;
  kind: SettingKind;
  /** On the command line. */
  flag: string;
  /** What to call the value in help, e.g. N; absent for switches. */
  metavar?: string;
  default: string | number | boolean | null | readonly string[];
  /** One line, in the words of the people who set it. */
  meaning: string;
  /** Inclusive bounds, for forms. The schema decides. */
  min?: number;
  max?: number;
  choices?: readonly string[];
}

/**
 * Parses settings; the first fault becomes an AppError that names the setting as the user wrote it, with the schema's own message.
 * @param descriptions only used to say which flag sets the faulty value and what its default is.
 */
export function parseSettings<S extends z.ZodType>(
  schema: S,
  descriptions: readonly SettingDescription[],
  settings: unknown,
): z.output<S> {
  const parsed = schema.safeParse(settings);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  if (issue?.code === 'unrecognized_keys')
    throw new AppError(
      'unknown-setting',
      `there is no setting ${issue.keys.join(', ')}`,
      `The settings are ${descriptions.map((d) => d.name).join(', ')}.`,
    );
  const name = String(issue?.path[0] ?? 'settings');
  const description = descriptions.find((d) => d.name === name);
  const given = issue?.path.reduce<unknown>((v, k) => (v as Record<PropertyKey, unknown> | undefined)?.[k], settings);
  const shown = given === undefined ? 'nothing' : typeof given === 'number' ? String(given) : JSON.stringify(given);
  const fallback = description === undefined ? undefined : JSON.stringify(description.default);
  throw new AppError(
    'bad-setting',
    `${name} ${issue?.message ?? 'cannot be'}, not ${shown}`,
    description && `${description.flag}: ${description.meaning} (default ${fallback ?? 'none'}).`,
  );
}
