/** The one abbreviation that people write in front of paths. */
import os from 'node:os';
import path from 'node:path';

/** `~` and `~/...` are the home folder; everything else stays. Trimmed. */
export function expandHome(entered: string, home: string = os.homedir()): string {
  const text = entered.trim();
  return text === '~' ? home : text.startsWith('~/') ? path.join(home, text.slice(2)) : text;
}
