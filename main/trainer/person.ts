/**
 * What people say about a run: the name that they gave it later, and their note. In a file of the run folder, since it has to outlive the history, which can be
 * made again from run folders at any time. The trainer never reads it.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { writeFileAtomic } from '../io/atomic-file.ts';

export const personFile = (folder: string): string => path.join(folder, 'person.json');

const personSchema = z.object({
  format: z.literal('whetstone-person'),
  version: z.literal(1),
  /** null: the name that it was started under. */
  name: z.string().nullable(),
  note: z.string(),
});

export interface Person {
  name: string | null;
  note: string;
}

/** undefined where nobody has said anything, or the file is damaged: a note must not hide a run. */
export function readPerson(folder: string): Person | undefined {
  try {
    const { name, note } = personSchema.parse(JSON.parse(readFileSync(personFile(folder), 'utf8')));
    return { name, note };
  } catch {
    return undefined;
  }
}

/** Throws AppError where the folder cannot be written to. */
export function writePerson(folder: string, person: Person): void {
  const { name, note } = person;
  writeFileAtomic(
    personFile(folder),
    `${JSON.stringify({ format: 'whetstone-person', version: 1, name, note }, null, 2)}\n`,
  );
}
