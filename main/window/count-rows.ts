/** How many rows have each family, operation, ...: for the form and for the pool's browser. */

/** Most rows first, then by name. A name of null is not counted. */
export function countRows(names: Iterable<string | null>): { name: string; rows: number }[] {
  const counts = new Map<string, number>();
  for (const name of names) if (name !== null) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .map(([name, rows]) => ({ name, rows }))
    .sort((a, b) => b.rows - a.rows || (a.name < b.name ? -1 : 1));
}
