/** How a fault ends the command line: what and where, what to do, and an exit status: 2 for a command that cannot be, 1 for everything else. */
import { AppError } from '../contract/errors.ts';

const usageCodes = new Set([
  ...['unknown-flag', 'bad-flag', 'usage'],
  ...['bad-setting', 'unknown-setting', 'unknown-adapter', 'unknown-variant'],
]);

export function reportError(error: unknown): void {
  if (error instanceof AppError) {
    console.error(`error: ${error.message}`);
    if (error.hint) console.error(`hint: ${error.hint}`);
    process.exitCode = usageCodes.has(error.code) ? 2 : 1;
    return;
  }
  console.error('error: this is a fault of Whetstone itself; please report it with the command that you ran');
  console.error(error);
  process.exitCode = 1;
}
