/** What the app asked of the system, and what a test has laid ready as the person's answers. */

export const calls: unknown[][] = [];
export const answers: unknown[] = [];

/** Functions and windows among the arguments are left out of what tests read. */
export function record(name: string, ...args: unknown[]): void {
  calls.push([name, ...args]);
}

/** A dialog that only a person could answer. */
export function ask(name: string, options: unknown): Promise<unknown> {
  record(name, options);
  if (answers.length === 0) return Promise.reject(new Error(`electron double: no answer laid ready for ${name}`));
  return Promise.resolve(answers.shift());
}
