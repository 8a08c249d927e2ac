/** Episode lists (`--episode-ids FILE`): task ids with white space between them, split as Python's `str.split()` splits. */
import { pythonWhitespace } from '../../text/code-points.ts';

const whiteSpace = new RegExp(`[${pythonWhitespace}]+`);

/** The parts of `text` between runs of white space, none of them empty. */
export function splitLikePython(text: string): string[] {
  return text.split(whiteSpace).filter((part) => part !== '');
}
