/**
 * The command line. Commands are read here and do their work in commands/, each loaded only when it is called: `whetstone runs` must not wait for a
 * tokenizer to load. Exit status: 0 done, 1 a fault (or a run that did not finish), 2 a command that cannot be.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Command, CommanderError } from 'commander';
import { projectFolder } from '../paths.ts';
import type { VerifyOptions } from './commands/verify.ts';
import { reportError } from './report-error.ts';

function version(): string {
  const about = JSON.parse(readFileSync(path.join(projectFolder, 'package.json'), 'utf8')) as { version: string };
  return about.version;
}

/** Commands whose flags are a recipe's: read by run-flags.ts, as argparse would. */
function recipeCommand(
  program: Command,
  name: string,
  description: string,
  work: (words: string[]) => Promise<void>,
): void {
  program
    .command(name)
    .description(description)
    .argument('[recipe]', 'webmix')
    .argument('[flags...]', `whetstone ${name} webmix --help shows them`)
    .helpOption(false)
    .allowUnknownOption()
    .action((recipe: string | undefined, flags: string[], _options: unknown, command: Command) => {
      if (recipe !== '--help' && recipe !== '-h') return work(recipe === undefined ? [] : [recipe, ...flags]);
      command.outputHelp();
      return undefined;
    });
}

const program = new Command('whetstone')
  .description('LoRA fine-tuning of vision-language models on your own GPUs')
  .version(version())
  .exitOverride()
  .enablePositionalOptions();

recipeCommand(
  program,
  'run',
  'train (or run --plan FILE: a plan of your own); Ctrl-C stops with a checkpoint',
  async (words) => (await import('./commands/run.ts')).runCommand(words),
);
recipeCommand(program, 'plan', 'show what a run would do, without starting it', async (words) =>
  (await import('./commands/plan.ts')).planCommand(words),
);
recipeCommand(program, 'try', "a run's longest rows on the real device: memory and seconds", async (words) =>
  (await import('./commands/try.ts')).tryCommand(words),
);
program
  .command('resume')
  .description('go on with a run that was stopped')
  .argument('<run>', 'id, the beginning of one, name, folder, or last')
  .option('--detach', 'come back when it is started')
  .action(async (run: string, options: { detach?: boolean }) =>
    (await import('./commands/run.ts')).resumeCommand(run, options),
  );
program
  .command('runs')
  .description('all runs, newest first')
  .option('--json', 'print JSON')
  .action(async (options: { json?: boolean }) => {
    (await import('./commands/runs.ts')).runsCommand(options);
  });
program
  .command('show')
  .description('one run, whole')
  .argument('<run>', 'id, the beginning of one, name, folder, or last')
  .option('--json', 'print JSON')
  .action(async (run: string, options: { json?: boolean }) => {
    (await import('./commands/show.ts')).showCommand(run, options);
  });
program
  .command('tail')
  .description("a run's log records, evaluations and checkpoints")
  .argument('<run>', 'id, the beginning of one, name, folder, or last')
  .option('-f, --follow', 'go on while the run does')
  .action(async (run: string, options: { follow?: boolean }) =>
    (await import('./commands/tail.ts')).tailCommand(run, options),
  );
program
  .command('stop')
  .description('stop a run with a checkpoint')
  .argument('<run>', 'id, the beginning of one, name, folder, or last')
  .option('--kill', 'end it at once, without a checkpoint')
  .action(async (run: string, options: { kill?: boolean }) =>
    (await import('./commands/stop.ts')).stopCommand(run, options),
  );
program
  .command('encode')
  .description('one row as the trainer gets it')
  .argument('<rows>', 'folder of episodes')
  .requiredOption('--row <which>', 'EPISODE:LINE, or an index')
  .option('--model <model>', 'folder or hub id', process.env['WEBMIX_BASE_MODEL'] || 'Qwen/Qwen3.5-4B')
  .option('--json', 'print JSON')
  .option('--pixels', 'SHA-256 of the pixel values too, asked from the trainer')
  .action(async (rows: string, options: { row: string; model: string; json?: boolean; pixels?: boolean }) =>
    (await import('./commands/encode.ts')).encodeCommand(rows, options),
  );
program
  .command('verify')
  .description(
    'compare the trainer with your own transformers and PEFT, row by row; later runs say that they are verified',
  )
  .option('--model <model>', 'folder or hub id', process.env['WEBMIX_BASE_MODEL'] || 'Qwen/Qwen3.5-4B')
  .requiredOption('--rows <folder...>', 'folder of episodes; can be given more than once')
  .requiredOption('--python <path>', 'an interpreter with torch, transformers, peft and pillow')
  .option('--n <rows>', 'how many rows to compare', '50')
  .option('--seed <n>', 'of the drawing of rows, and of a new adapter', '0')
  .option('--processor <folder>', 'take tokenizer, template and image settings from this folder, on both sides')
  .option('--adapter <preset>', 'preset of families that get CE; by default pooled, or every family')
  .option('--families <a,b>', 'families that get CE, by name')
  .option('--init-adapter <folder>', 'compare with this adapter instead of a new one')
  .option('--rank <n>', 'of a new adapter', '16')
  .option('--alpha <a>', 'of a new adapter', '32')
  .option('--device <device>', 'auto, cpu, cuda or cuda:N, for both sides', 'auto')
  .option('--dtype <dtype>', 'bfloat16 or float32; by default float32 on the CPU, bfloat16 on a GPU')
  .option('--threads <n>', 'CPU threads, of either side')
  .option('--json', 'print JSON')
  .action(async (options: VerifyOptions) => (await import('./commands/verify.ts')).verifyCommand(options));
program
  .command('serve')
  .description('the window in a browser; prints its address')
  .option('--port <port>', 'of 127.0.0.1; by default the one of the last time, or a free one')
  .option('--socket <path>', 'a socket file instead of a port, for ssh -L; only you can connect to it')
  .option('--token-file <file>', 'where the token is kept; by default in the data folder')
  .option('--json', 'print the address as JSON')
  .action(async (options: { port?: string; socket?: string; tokenFile?: string; json?: boolean }) =>
    (await import('./commands/serve.ts')).serveCommand(options),
  );
program
  .command('describe')
  .description('what the built trainer knows, as JSON')
  .action(async () => {
    process.stdout.write(await (await import('../trainer/ask-trainer.ts')).askTrainer(['describe']));
  });

/** Reads process.argv and does what it says; leaves the exit status in process.exitCode. */
export async function main(): Promise<void> {
  // Who reads our output may stop (`| head`): that ends us without a word. A run that we started goes on, its output is in its own files.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(1);
  });
  try {
    await program.parseAsync();
  } catch (error) {
    // commander has said what was wrong by then; help and version come this way too, with exit status 0.
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else reportError(error);
  }
}
