/**
 * How a run is told from others in every chart of a view: a hue and a dash pattern, both given when it is ticked and kept as long as it is. The first eight differ in
 * both; past that hues come again with another dash, and the list says so.
 */

/** Place of a run among those that are shown together, from 0. */
export type Slot = number;

const hues = 8;
const dashes: readonly (readonly number[])[] = [[], [6, 3], [2, 2], [8, 2, 2, 2], [1, 3], [4, 2], [12, 3], [3, 1]];

/** Name of the custom property that holds the hue. */
export const hueOf = (slot: Slot): string => `--id-${(slot % hues) + 1}`;

/** On and off lengths in CSS pixels; empty: a solid line. */
export const dashOf = (slot: Slot): readonly number[] =>
  dashes[(slot + Math.floor(slot / hues) * 3) % dashes.length] ?? [];

/** Shares its hue with a run of a lower slot: dash and name tell them apart. */
export const repeatsHue = (slot: Slot): boolean => slot >= hues;

/** The lowest slot that is not taken. */
export function freeSlot(taken: Iterable<Slot>): Slot {
  const set = new Set(taken);
  let slot = 0;
  while (set.has(slot)) slot++;
  return slot;
}

/**
 * Runs and their slots as the address carries them: `runs=A,B&hues=1,3`. Without `hues` they are numbered in order. What cannot be read is numbered anew; no two
 * share a slot.
 */
export function parseSlots(runs: string | undefined, slots: string | undefined): Map<string, Slot> {
  const ids = [...new Set((runs ?? '').split(',').filter((id) => id !== ''))];
  const given = (slots ?? '').split(',');
  const answer = new Map<string, Slot>();
  const taken = new Set<Slot>();
  ids.forEach((id, i) => {
    const wish = /^\d{1,2}$/.test(given[i] ?? '') ? Number(given[i]) - 1 : -1;
    const slot = wish >= 0 && !taken.has(wish) ? wish : freeSlot(taken);
    taken.add(slot);
    answer.set(id, slot);
  });
  return answer;
}

/** The two entries of the query; `hues` is undefined where counting in order gives the same. */
export function formatSlots(slots: ReadonlyMap<string, Slot>): { runs: string | undefined; hues: string | undefined } {
  const entries = [...slots];
  return {
    runs: entries.length === 0 ? undefined : entries.map(([id]) => id).join(','),
    hues: entries.every(([, slot], i) => slot === i) ? undefined : entries.map(([, slot]) => slot + 1).join(','),
  };
}
