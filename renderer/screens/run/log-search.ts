/** Text cut at every place where a word is: even pieces are between, odd ones are the word as it stands there. Small letters match capitals. */
export function splitMatches(text: string, word: string, most = 2000): string[] {
  if (word === '') return [text];
  const where = text.toLowerCase();
  const what = word.toLowerCase();
  // Lengths can change with the case of a few letters; then only exact matches are sure.
  const exact = where.length !== text.length;
  const pieces: string[] = [];
  let from = 0;
  while (pieces.length < 2 * most) {
    const at = exact ? text.indexOf(word, from) : where.indexOf(what, from);
    if (at < 0) break;
    pieces.push(text.slice(from, at), text.slice(at, at + word.length));
    from = at + word.length;
  }
  pieces.push(text.slice(from));
  return pieces;
}
