/**
 * Python orders and counts strings by code point, JavaScript by UTF-16 unit. The two differ beyond U+FFFF: "\u{1F600}" sorts after "\uFF5E" in
 * Python and before it here. Everything that has to agree with the Python trainers goes through these functions.
 */

/** Order of Python's `sorted` on str. */
export function compareCodePoints(left: string, right: string): number {
  const shared = Math.min(left.length, right.length);
  for (let at = 0; at < shared; at++) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    if (a !== b) return rank(a) - rank(b);
  }
  return left.length - right.length;
}

/** Surrogates stand for code points above all others, so they have to rank above U+E000..U+FFFF. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** Length of `text` (or of its part before `end`, in UTF-16 units) in code points. */
export function countCodePoints(text: string, end: number = text.length): number {
  let count = 0;
  for (let at = 0; at < end; at++) {
    const unit = text.charCodeAt(at);
    const isPair = unit >= 0xd800 && unit < 0xdc00 && at + 1 < end && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
    if (isPair) at++;
    count++;
  }
  return count;
}

/** What Python's str.isspace, and so strip() without an argument, counts as white space: unlike JavaScript's, with 1C-1F and 85 and without FEFF. */
export const pythonWhitespace = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';

const blank = new RegExp(`^[${pythonWhitespace}]*$`);

/** Python's `not text.strip()`. */
export function isBlank(text: string): boolean {
  return blank.test(text);
}
