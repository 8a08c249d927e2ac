/**
 * Command-line flags of a recipe, as a table: argparse's names and values, since people paste the commands of their Python trainers. The command line and
 * whatever else reads such a command share it.
 */
import { AppError } from '../contract/errors.ts';

/** What a flag sets: a setting of the recipe, or something that belongs to the run around it. */
export type FlagTarget = { setting: string } | { run: 'out' | 'rowsDir' | 'wandbProject' };

export interface RecipeFlag {
  /** With its two dashes. */
  flag: string;
  /** Absent for a switch. */
  metavar?: string;
  target: FlagTarget;
  /** One line for help. */
  meaning: string;
  /** As help shows it; absent where there is none. */
  shownDefault?: string;
  /** `value`: the next word; `nothing`: a switch; `file`: the next word names a file whose TEXT goes to `parse`. */
  takes: 'value' | 'nothing' | 'file';
  /** From the word, the file's text, or '' for a switch to the value. Throws AppError `bad-flag`. */
  parse: (text: string) => unknown;
}

const refuse = (flag: string, what: string, text: string): AppError =>
  new AppError('bad-flag', `${flag} has to be ${what}, not ${JSON.stringify(text)}`);

/** As Python's `int(text)`, for what a double holds exactly. */
export function parsePythonInteger(flag: string, text: string): number {
  const trimmed = text.trim();
  const value = Number(trimmed.replaceAll('_', ''));
  if (!/^[+-]?\d+(_\d+)*$/.test(trimmed) || !Number.isSafeInteger(value)) throw refuse(flag, 'a whole number', text);
  return value;
}

/** As Python's `float(text)`: "nan" and "inf" are numbers here too, and the settings refuse them by name. */
export function parsePythonNumber(flag: string, text: string): number {
  const trimmed = text.trim();
  if (/^[+-]?nan$/i.test(trimmed)) return NaN;
  const infinite = /^([+-]?)inf(inity)?$/i.exec(trimmed);
  if (infinite) return infinite[1] === '-' ? -Infinity : Infinity;
  const digits = String.raw`\d+(?:_\d+)*`;
  const form = new RegExp(`^[+-]?(?:${digits}(?:\\.(?:${digits})?)?|\\.${digits})(?:e[+-]?${digits})?$`, 'i');
  if (!form.test(trimmed)) throw refuse(flag, 'a number', text);
  return Number(trimmed.replaceAll('_', ''));
}

/** Parts between commas, trimmed, none of them empty. */
export function parseCommaList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** What a line of flags says. Values of the run are paths and names as they were given. */
export interface ReadFlags {
  settings: Record<string, unknown>;
  run: Partial<Record<'out' | 'rowsDir' | 'wandbProject', string>>;
}

/**
 * Reads words as argparse does: `--flag value`, `--flag=value`, and any beginning of a flag that only one flag has.
 * @param readText gives the text of a file that a flag names. Throws AppError: unknown-flag, bad-flag, and what `readText` throws.
 * @param onFault gets what would be thrown, with the words that are passed over for it: for commands that were written for another program.
 */
export function readFlags(
  flags: readonly RecipeFlag[],
  words: readonly string[],
  readText: (file: string) => string,
  onFault?: (words: string[], error: AppError) => void,
): ReadFlags {
  const read: ReadFlags = { settings: {}, run: {} };
  for (let at = 0; at < words.length;) {
    const next = behind(words, at);
    try {
      at = readOne(flags, words, at, readText, read);
    } catch (error) {
      if (!onFault || !(error instanceof AppError)) throw error;
      onFault(words.slice(at, next), error);
      at = next;
    }
  }
  return read;
}

/** The position behind a flag and what stands between it and the next one. */
function behind(words: readonly string[], at: number): number {
  const next = words.findIndex((word, index) => index > at && word.startsWith('--'));
  return next < 0 ? words.length : next;
}

/** Reads the flag at `at` into `read`; gives the position behind it and its value. */
function readOne(
  flags: readonly RecipeFlag[],
  words: readonly string[],
  at: number,
  readText: (file: string) => string,
  read: ReadFlags,
): number {
  const word = words[at] ?? '';
  const equals = word.startsWith('--') ? word.indexOf('=') : -1;
  const flag = findFlag(flags, equals < 0 ? word : word.slice(0, equals));
  let text = equals < 0 ? undefined : word.slice(equals + 1);
  let next = at + 1;
  if (flag.takes === 'nothing') {
    if (text !== undefined) throw new AppError('bad-flag', `${flag.flag} takes no value`);
  } else if (text === undefined) {
    text = words[next++];
    // A flag behind a flag: the value was forgotten. One that really begins so is given as --flag=value.
    if (text === undefined || text.startsWith('--'))
      throw new AppError('bad-flag', `${flag.flag} needs a value (${flag.metavar ?? 'VALUE'})`);
  }
  const value = flag.parse(flag.takes === 'file' ? readText(text ?? '') : (text ?? ''));
  if ('setting' in flag.target) read.settings[flag.target.setting] = value;
  else read.run[flag.target.run] = String(value);
  return next;
}

function findFlag(flags: readonly RecipeFlag[], word: string): RecipeFlag {
  const exact = flags.find((f) => f.flag === word);
  if (exact) return exact;
  const begun = word.startsWith('--') && word.length > 2 ? flags.filter((f) => f.flag.startsWith(word)) : [];
  if (begun.length === 1 && begun[0]) return begun[0];
  const candidates = begun.length > 0 ? begun : flags;
  throw new AppError(
    'unknown-flag',
    begun.length > 0 ? `${word} can be more than one flag` : `there is no flag ${word}`,
    `${begun.length > 0 ? 'It can be' : 'Flags are'} ${candidates.map((f) => f.flag).join(', ')}.`,
  );
}
