/**
 * Which families get CE, as the form shows it: one set of ticks. The recipe has two settings for it, a preset or a list by name, and never both; a set that
 * is a preset's is written as the preset, so that the run is called what people call it.
 */

export interface FamilyChoice {
  adapter: string | undefined;
  families: string[] | undefined;
}

type Presets = Readonly<Record<string, readonly string[]>>;
type Settings = Readonly<Record<string, unknown>>;

const isTexts = (value: unknown): value is string[] => Array.isArray(value);

export function chosenFamilies(settings: Settings, presets: Presets): readonly string[] {
  if (isTexts(settings['families'])) return settings['families'];
  const preset = settings['adapter'];
  return (typeof preset === 'string' ? presets[preset] : undefined) ?? [];
}

/** The preset whose families are exactly these; undefined: none. */
export function presetOf(chosen: readonly string[], presets: Presets): string | undefined {
  const wanted = new Set(chosen);
  return Object.keys(presets).find((name) => {
    const families = presets[name] ?? [];
    return families.length === wanted.size && families.every((family) => wanted.has(family));
  });
}

/** The settings for a set of families. None at all leaves both out, which the check refuses. */
export function choiceOf(chosen: readonly string[], presets: Presets): FamilyChoice {
  if (chosen.length === 0) return { adapter: undefined, families: undefined };
  const adapter = presetOf(chosen, presets);
  return adapter === undefined ? { adapter, families: [...chosen] } : { adapter, families: undefined };
}

/** Ticks or unticks one family; the order is that of `shown`. */
export function toggled(chosen: readonly string[], family: string, shown: readonly string[]): string[] {
  const next = new Set(chosen);
  if (!next.delete(family)) next.add(family);
  return [...shown.filter((name) => next.has(name)), ...[...next].filter((name) => !shown.includes(name))];
}

/** Known families first, then what else the rows hold, then what else is chosen. Rows of a family that is not in the pool are 0. */
export function shownFamilies(
  known: readonly string[],
  pool: readonly { name: string; rows: number }[] | null,
  chosen: readonly string[],
  presets: Presets,
): { name: string; rows: number | null }[] {
  const counts = new Map(pool?.map(({ name, rows }) => [name, rows]));
  const named = Object.values(presets).flat();
  const names = new Set([...known, ...counts.keys(), ...named, ...chosen]);
  return [...names].map((name) => ({ name, rows: pool === null ? null : (counts.get(name) ?? 0) }));
}
