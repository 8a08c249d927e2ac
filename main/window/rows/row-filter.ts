/** Which rows a filter lets through. */
import type { RowFilter, RowItem } from '../../contract/window/rows.ts';

/**
 * Every word of `text` has to be in the row's episode, task id or operation; a word in small letters matches capitals too. Lists that are empty let
 * everything through; a row without an operation has the operation ''.
 */
export function rowMatcher(filter: RowFilter): (item: RowItem) => boolean {
  const words = filter.text.split(/\s+/).filter((word) => word !== '');
  const families = new Set(filter.families);
  const variants = new Set(filter.variants);
  const operations = new Set(filter.operations);
  return (item) =>
    (filter.episode === null || item.episode === filter.episode) &&
    (families.size === 0 || families.has(item.family)) &&
    (variants.size === 0 || variants.has(item.variant)) &&
    (operations.size === 0 || operations.has(item.operation ?? '')) &&
    (words.length === 0 || hasWords(item, words));
}

function hasWords({ episode, taskId, operation }: RowItem, words: readonly string[]): boolean {
  const text = `${episode}\n${taskId}\n${operation ?? ''}`;
  const small = text.toLowerCase();
  return words.every((word) => (word === word.toLowerCase() ? small.includes(word) : text.includes(word)));
}
