/** What stands in front of a trainer's own flags: interpreters and launchers, peeled off one after the other. */
import { recipes, type RecipeId } from '../../recipes/index.ts';

export interface Launched {
  recipe: RecipeId;
  /** The trainer's flags. */
  words: string[];
  /** Processes, where a launcher says how many. */
  ranks: number | null;
  notes: string[];
}

/** Words of a wrapper that stand in front of a command; those with a value take it along. */
const wrappers: Record<string, readonly string[]> = {
  nohup: [],
  time: [],
  exec: [],
  sudo: ['-u', '-g'],
  env: ['-u', '-C'],
  nice: ['-n'],
  stdbuf: ['-o', '-e', '-i'],
  poetry: [],
  uv: ['--with', '--python', '-p', '--project'],
  pipenv: [],
  conda: ['-n', '-p', '--name', '--prefix'],
  srun: ['-p', '-n', '-c', '-N', '-G', '-t', '-J', '-w', '-x'],
  npx: [],
};

/** Nobody stacks more; each costs a walk over all words. */
const mostWrappers = 16;

const pythonName = /^(.*\/)?(python|python\d(\.\d+)?|ipython)$/;
const pythonTakesValue = new Set(['-W', '-X']);
/** Options of torchrun and accelerate that stand alone. */
const launcherSwitches = new Set([
  ...['--standalone', '--no-python', '--no_python', '--multi_gpu', '--multi-gpu', '--cpu', '--quiet', '-q', '--tpu'],
  ...['--use_fsdp', '--use_deepspeed', '--debug', '--no_local_rank', '--force'],
]);
const rankOptions = new Set([
  '--nproc-per-node',
  '--nproc_per_node',
  '--num_processes',
  '--num-processes',
  '--num_gpus',
]);
const nodeOptions = new Set(['--nnodes', '--num_machines', '--num-machines', '--num_nodes']);

/** null where `words` are no command that trains. */
export function readLauncher(given: readonly string[]): Launched | null {
  let words = [...given];
  const notes: string[] = [];
  for (let peeled = 0; peeled <= mostWrappers; peeled += 1) {
    const [first = '', second] = words;
    const name = first.split('/').at(-1) ?? '';
    if (name === 'whetstone' || (name === 'node' && second?.endsWith('bin/whetstone.js')))
      return ofWhetstone(words.slice(name === 'node' ? 2 : 1), notes);
    if (first.endsWith('bin/whetstone.js')) return ofWhetstone(words.slice(1), notes);
    if (name === 'torchrun' || name === 'deepspeed') return ofLauncher(name, words.slice(1), notes);
    if (name === 'accelerate' && second === 'launch') return ofLauncher('accelerate launch', words.slice(2), notes);
    if (pythonName.test(first)) return ofPython(words.slice(1), notes);
    const valued = wrappers[name];
    if (valued) {
      words = behindWrapper(name, words.slice(1), valued);
      continue;
    }
    // A script that is run by itself, or flags alone.
    if (first.endsWith('.py')) return { recipe: 'webmix', words: words.slice(1), ranks: null, notes };
    if (first.startsWith('--')) return knowsOne(words) ? { recipe: 'webmix', words, ranks: null, notes } : null;
    return null;
  }
  return null;
}

function behindWrapper(name: string, words: readonly string[], valued: readonly string[]): string[] {
  let at = ['poetry', 'uv', 'pipenv', 'conda'].includes(name) && words[0] === 'run' ? 1 : 0;
  for (; at < words.length; ++at) {
    const word = words[at] ?? '';
    if (valued.includes(word)) at += 1;
    else if (!word.startsWith('-') && !(name === 'env' && /^\w+=/.test(word))) break;
  }
  return words.slice(at);
}

const knowsOne = (words: readonly string[]): boolean =>
  words.some((word) => recipes.webmix.flags.some(({ flag }) => flag === word.split('=')[0]));

function ofWhetstone(words: readonly string[], notes: string[]): Launched | null {
  const [command, recipe = ''] = words;
  if (command !== 'run' && command !== 'plan' && command !== 'try') return null;
  const known = Object.keys(recipes).find((id): id is RecipeId => id === recipe);
  return known ? { recipe: known, words: words.slice(2), ranks: null, notes } : null;
}

/** python [options] script.py flags, python -m module flags; the module may be a launcher itself. */
function ofPython(words: readonly string[], notes: string[]): Launched | null {
  for (let at = 0; at < words.length; ++at) {
    const word = words[at] ?? '';
    if (word === '-m' || /^-\w*m$/.test(word)) return ofModule(words[at + 1] ?? '', words.slice(at + 2), notes);
    if (word === '-c') return null;
    if (pythonTakesValue.has(word)) at += 1;
    else if (!word.startsWith('-')) return ofProgram(word, words.slice(at + 1), null, notes);
    else if (word.startsWith('--')) return null;
  }
  return null;
}

function ofModule(module: string, words: readonly string[], notes: string[]): Launched | null {
  if (module === 'torch.distributed.run' || module === 'torch.distributed.launch')
    return ofLauncher(module, words, notes);
  if (module === 'accelerate.commands.launch') return ofLauncher(module, words, notes);
  return module === '' ? null : ofProgram(module, words, null, notes);
}

/** The last thing in front of the flags: whose flags these are. */
function ofProgram(program: string, words: readonly string[], ranks: number | null, notes: string[]): Launched | null {
  if (words.length > 0 && !words.some((word) => word.startsWith('-'))) return null;
  return {
    recipe: 'webmix',
    words: [...words],
    ranks,
    notes: [...notes, `${program}: its flags were read as webmix's`],
  };
}

/** torchrun --nproc-per-node N [options] script.py flags, with -m before a module. */
function ofLauncher(launcher: string, words: readonly string[], notes: string[]): Launched | null {
  let ranks: number | null = null;
  let nodes = 1;
  const passed: string[] = [];
  for (let at = 0; at < words.length; ++at) {
    const word = words[at] ?? '';
    if (!word.startsWith('-')) {
      const said = passed.length > 0 ? [`${launcher} ${passed.join(' ')}: belongs to the launcher, left out`] : [];
      return ofProgram(word, words.slice(at + 1), ranks === null ? null : ranks * nodes, [...notes, ...said]);
    }
    if (word === '-m' || word === '--module') continue;
    const equals = word.indexOf('=');
    const option = equals < 0 ? word : word.slice(0, equals);
    const isSwitch = launcherSwitches.has(option);
    const value = equals >= 0 ? word.slice(equals + 1) : isSwitch ? '' : (words[++at] ?? '');
    const count = /^\d+$/.test(value) ? Number(value) : null;
    if (rankOptions.has(option) && count !== null) ranks = count;
    else if (nodeOptions.has(option) && count !== null) nodes = count;
    else passed.push(equals >= 0 || isSwitch ? word : `${option} ${value}`);
  }
  return null;
}
