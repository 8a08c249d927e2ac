/** Finding by words, the part of "find or do" that knows nothing of the window. */

export interface PaletteItem {
  id: string;
  group: string;
  text: string;
  /** Grey, after the text. */
  note: string;
  keys: string | null;
  run: () => void;
}

/** Items that have all words of `text` somewhere, those that begin with it first; the order is kept otherwise. At most `most`. */
export function findItems(items: readonly PaletteItem[], text: string, most = 60): PaletteItem[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const whole = words.join(' ');
  const found = items.filter((item) => {
    const haystack = `${item.text} ${item.note} ${item.group}`.toLowerCase();
    return words.every((word) => haystack.includes(word));
  });
  const rank = (item: PaletteItem): number => {
    const name = item.text.toLowerCase();
    return whole === '' ? 0 : name.startsWith(whole) ? 0 : name.includes(whole) ? 1 : 2;
  };
  return found
    .map((item, index) => ({ item, index }))
    .sort((a, b) => rank(a.item) - rank(b.item) || a.index - b.index)
    .slice(0, most)
    .map(({ item }) => item);
}
