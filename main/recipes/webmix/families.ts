/**
 * Families of practice rows, and the presets that an adapter can be trained on. A row's family is that of the macro segment it came from; pools hold families
 * outside these seven too ("Other", "planner"), which then serve as anchor rows, or as an adapter's own when they are named.
 */
import { compareCodePoints } from '../../text/code-points.ts';

export const knownFamilies = [
  'Drag & gesture',
  'Discrete selection',
  'Text entry',
  'Form transaction',
  'Navigation',
  'Out-of-page I/O',
  'Reasoning base',
] as const;

/** Families by preset name (`--adapter`). */
export const adapterPresets: Readonly<Record<string, readonly string[]>> = {
  pooled: knownFamilies,
  drag: ['Drag & gesture'],
  io: ['Out-of-page I/O'],
  select: ['Discrete selection'],
  rest: ['Text entry', 'Form transaction', 'Navigation', 'Reasoning base'],
  reasoning: ['Reasoning base'],
  planner: ['planner'],
};

/** What the adapter is called in meta files when its families were listed one by one. */
export const customAdapterName = 'custom';

/** Python's order of strings. */
export function sortedLikePython(names: Iterable<string>): string[] {
  return [...names].sort(compareCodePoints);
}
