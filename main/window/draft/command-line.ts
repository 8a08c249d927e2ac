/**
 * The command that makes the same run: every flag that can be said, those at their default marked, so that the window can show them grey. What it gives, read
 * back by `whetstone run`, is the request again (command-line.test.ts holds it to that).
 */
import type { CommandWord, DraftRequest } from '../../contract/window/draft.ts';
import type { Environment } from '../../paths.ts';
import { isRecipeId, recipes } from '../../recipes/index.ts';
import { defaultModel } from '../../trainer/run-flags.ts';
import { quoteWord } from './shell-words.ts';

/**
 * Words of `whetstone run ...`; a flag and its value are one word, quoted for a POSIX shell, so that joining them with blanks gives the line.
 * Settings of a wrong kind are left out: they have no form on a command line. `whetstone run` itself finds them missing or at their default.
 */
export function commandWords(request: DraftRequest, environment: Environment = process.env): CommandWord[] {
  const words: CommandWord[] = [];
  const say = (text: string, isDefault = false): void => void words.push({ text, isDefault });
  const flag = (name: string, value: string, isDefault = false): void => say(flagWord(name, value), isDefault);

  say('whetstone run');
  say(quoteWord(request.recipe));
  for (const folder of request.rowsFolders) flag('--rows-dir', folder);
  if (request.model !== '') flag('--model', request.model, request.model === defaultModel(environment));
  if (request.processor !== null) flag('--processor', request.processor);
  for (const [text, isDefault] of settingWords(request)) say(text, isDefault);
  flag('--ranks', String(request.ranks), request.ranks === 1);
  flag('--allow-bad', String(request.allowBad), request.allowBad === 0);
  if (request.output !== null) flag('--out', request.output);
  if (request.name !== null) flag('--name', request.name);
  return words;
}

/** The whole line, with what is at its default left out or not. */
export function commandLine(words: readonly CommandWord[], withDefaults: boolean): string {
  return words
    .filter(({ isDefault }) => withDefaults || !isDefault)
    .map(({ text }) => text)
    .join(' ');
}

/** A value that begins with two dashes would be taken for the next flag. */
function flagWord(flag: string, value: string): string {
  return value.startsWith('--') ? `${flag}=${quoteWord(value)}` : `${flag} ${quoteWord(value)}`;
}

function settingWords(request: DraftRequest): [string, boolean][] {
  if (!isRecipeId(request.recipe)) return [];
  return recipes[request.recipe].settings.flatMap((setting): [string, boolean][] => {
    const { name, flag, kind } = setting;
    const given = request.settings[name];
    const value = given === undefined ? setting.default : given;
    const isDefault = JSON.stringify(value) === JSON.stringify(setting.default);
    // The list stands in a file; the command names the file.
    if (name === 'episodeIds')
      return request.episodeIdsFile === null ? [] : [[flagWord(flag, request.episodeIdsFile), false]];
    if (value === null) return [];
    switch (kind) {
      case 'integer':
      case 'number':
        return typeof value === 'number' ? [[flagWord(flag, formatNumber(value)), isDefault]] : [];
      case 'text':
      case 'choice':
        return typeof value === 'string' && value !== '' ? [[flagWord(flag, value), isDefault]] : [];
      case 'list':
        return Array.isArray(value) && value.length > 0 ? [[flagWord(flag, value.join(',')), isDefault]] : [];
      case 'switch':
        // --no-recompute, as people write it, and --recompute on for its default.
        if (flag.startsWith('--no-'))
          return value === true ? [[`--${flag.slice(5)} on`, isDefault]] : [[flag, isDefault]];
        return value === true ? [[flag, isDefault]] : [];
    }
  });
}

/** As people write it, and such that reading it gives the same double: 1e-4, not 0.0001. */
export function formatNumber(value: number): string {
  const plain = String(value);
  const short = value.toExponential();
  return Math.abs(value) < 0.01 && short.length < plain.length ? short : plain;
}
