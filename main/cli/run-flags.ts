/** Help of the commands whose flags are a recipe's. The flags themselves are read in main/trainer, since the window reads pasted commands. */
import { recipes } from '../recipes/index.ts';
import { recipeOf, runFlagTable } from '../trainer/run-flags.ts';

export { readRunFlags, type RunFlags } from '../trainer/run-flags.ts';

/** The flags of a recipe, for people. */
export function formatRunHelp(command: string, words: readonly string[]): string {
  const recipe = recipeOf(words[0]);
  const elsewhere = command === 'run' ? '--json' : '--detach';
  const shown = runFlagTable(recipe).filter(({ flag }) => flag !== elsewhere);
  const rows = shown.map((flag): [string, string] => [
    `  ${flag.flag}${flag.metavar === undefined ? '' : ` ${flag.metavar}`}`,
    `${flag.meaning}${flag.shownDefault === undefined ? '' : ` (default ${flag.shownDefault})`}`,
  ]);
  const width = Math.max(...rows.map(([left]) => left.length));
  return [
    `usage: whetstone ${command} ${recipe} [flags]`,
    '',
    `${recipes[recipe].title}.`,
    '',
    ...rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`),
  ].join('\n');
}
