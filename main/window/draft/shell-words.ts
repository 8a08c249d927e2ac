/**
 * Words of a POSIX shell's command line: written for people who copy a run's command, and read from commands that they paste. What only a shell could work
 * out (variables, globs) is left as it stands; the caller says so.
 */

const plain = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** A word as it has to be typed so that a shell passes on exactly `text`. */
export function quoteWord(text: string): string {
  if (plain.test(text)) return text;
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

export interface ShellWord {
  text: string;
  /** Has a $ or ` that a shell would have replaced. */
  hasExpansion: boolean;
  /** Was written without any quoting: only then is `|` or `>` an operator, and `KEY=value` in front an assignment. */
  bare: boolean;
}

const operators = [
  '&&',
  '||',
  '&>>',
  '&>',
  '>>',
  '<<<',
  '<<',
  '>&',
  '<&',
  '>|',
  ';',
  '|',
  '&',
  '>',
  '<',
  '(',
  ')',
  '\n',
];

/** Words and operators of `text`. A quote that is not closed ends at the end of the text: a copy that was cut off is better read than refused. */
export function splitShell(text: string): { words: (ShellWord | { operator: string })[]; openQuote: boolean } {
  const words: (ShellWord | { operator: string })[] = [];
  // Asserted, since it is set in closures that the compiler does not follow.
  let current = null as ShellWord | null;
  let openQuote = false;
  const word = (): ShellWord => (current ??= { text: '', hasExpansion: false, bare: true });
  const end = (): void => {
    if (current) words.push(current);
    current = null;
  };
  for (let at = 0; at < text.length; ++at) {
    const sign = text[at] ?? '';
    const next = text[at + 1] ?? '';
    if (sign === '\\') {
      // A backslash at the end of a line joins it with the next one; copies from Windows and from chats bring their own line ends and blanks.
      const joined = /^\\[ \t]*\r?\n/.exec(text.slice(at, at + 200));
      if (joined) {
        at += joined[0].length - 1;
        end();
      } else if (next !== '') {
        word().text += next;
        word().bare = false;
        at += 1;
      }
    } else if (sign === "'" || sign === '"') {
      at = readQuoted(text, at, word());
      if (at >= text.length) openQuote = true;
    } else if (/[ \t\r\u00a0]/.test(sign)) {
      end();
    } else if (sign === '#' && current === null) {
      const line = text.indexOf('\n', at);
      at = (line < 0 ? text.length : line) - 1;
    } else {
      const operator = operators.find((each) => text.startsWith(each, at));
      if (operator) {
        // 2> and 1>: the number belongs to the operator.
        if (/^[<>]/.test(operator) && current?.bare && /^\d$/.test(current.text)) current = null;
        end();
        words.push({ operator });
        at += operator.length - 1;
      } else {
        word().text += sign;
        if (sign === '$' || sign === '`') word().hasExpansion = true;
      }
    }
  }
  end();
  return { words, openQuote };
}

/** Reads the quoted part that begins at `at` into `word`; gives the position of the closing quote, or the text's length. */
function readQuoted(text: string, at: number, word: ShellWord): number {
  const quote = text[at];
  word.bare = false;
  for (let i = at + 1; i < text.length; ++i) {
    const sign = text[i] ?? '';
    if (sign === quote) return i;
    if (quote === '"' && sign === '\\' && /["\\$`\n]/.test(text[i + 1] ?? '')) {
      i += 1;
      if (text[i] !== '\n') word.text += text[i] ?? '';
    } else {
      word.text += sign;
      if (quote === '"' && (sign === '$' || sign === '`')) word.hasExpansion = true;
    }
  }
  return text.length;
}
