/** Episode lists (`--episode-ids FILE`): task ids with white space between them, split as Python's `str.split()` splits. */

// Python's white space is not JavaScript's: 1C-1F and 85 belong to it, FEFF does not.
const whiteSpace = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

/** The parts of `text` between runs of white space, none of them empty. */
export function splitLikePython(text: string): string[] {
  return text.split(whiteSpace).filter((part) => part !== '');
}
