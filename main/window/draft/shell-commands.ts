/** The simple commands in a piece of shell text, each with what was assigned in front of it and where its output went. */
import { splitShell, type ShellWord } from './shell-words.ts';

export interface ShellCommand {
  /** `KEY=value` in front of the words. */
  assignments: [string, string][];
  words: string[];
  /** As they were written. */
  redirections: string[];
  hasExpansion: boolean;
}

const separators = new Set(['&&', '||', ';', '|', '&', '\n', '(', ')']);

export function splitCommands(text: string): { commands: ShellCommand[]; openQuote: boolean } {
  const { words, openQuote } = splitShell(text);
  const commands: ShellCommand[] = [];
  let current = emptyCommand();
  const end = (): void => {
    if (current.words.length > 0 || current.assignments.length > 0) commands.push(current);
    current = emptyCommand();
  };
  for (let at = 0; at < words.length; ++at) {
    const word = words[at];
    if (!word) continue;
    if ('operator' in word) {
      if (separators.has(word.operator)) end();
      else {
        const target = words[at + 1];
        const named = target && 'text' in target;
        current.redirections.push(named ? `${word.operator} ${target.text}` : word.operator);
        if (named) at += 1;
      }
    } else if (current.words.length > 0 || !takeInFront(word, current)) {
      current.words.push(word.text);
      current.hasExpansion ||= word.hasExpansion;
    }
  }
  end();
  return { commands, openQuote };
}

const emptyCommand = (): ShellCommand => ({ assignments: [], words: [], redirections: [], hasExpansion: false });

/** Whether `word` is none of the command's own: a prompt that was copied too, or an assignment. */
function takeInFront(word: ShellWord, command: ShellCommand): boolean {
  if (word.bare && /^([$%#>]|[\w.-]+@[\w.-]+:\S*[$#])$/.test(word.text)) return true;
  const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word.text) ?? [];
  if (name === undefined || value === undefined) return false;
  command.assignments.push([name, value]);
  command.hasExpansion ||= word.hasExpansion;
  return true;
}
