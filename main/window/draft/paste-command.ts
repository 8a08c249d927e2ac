/**
 * A shell command that a person ran before, as a draft: the Python trainer under its launchers (python, torchrun, accelerate, ...), or `whetstone run`. What
 * cannot be taken over is named in the notes, never dropped in silence.
 */
import path from 'node:path';
import { AppError } from '../../contract/errors.ts';
import type { DraftRequest, PastedCommand } from '../../contract/window/draft.ts';
import { isHubId } from '../../model/find-model.ts';
import type { Environment } from '../../paths.ts';
import { recipes } from '../../recipes/index.ts';
import { readRunFlags } from '../../trainer/run-flags.ts';
import { readLauncher } from './launcher.ts';
import { expandHome } from '../expand-home.ts';
import { splitCommands, type ShellCommand } from './shell-commands.ts';

/** Throws AppError `no-command`, with what to paste. */
export function pasteCommand(text: string, environment: Environment): PastedCommand {
  const notes: string[] = [];
  const { commands, openQuote } = splitCommands(text);
  if (openQuote) notes.push('a quote is not closed: the text may be cut off');
  let folder: string | null = null;
  const assigned = new Map<string, string>();
  const training: { command: ShellCommand; launcher: NonNullable<ReturnType<typeof readLauncher>> }[] = [];
  for (const command of commands) {
    const [first, second] = command.words;
    if (first === 'cd' && second !== undefined) folder = expandHome(second);
    const launcher = readLauncher(command.words);
    if (launcher) training.push({ command, launcher });
    // `export A=b` and `A=b` alone hold for the commands behind; in front of a command for it alone.
    else if (first === 'export' || first === undefined)
      for (const [name, value] of [...command.assignments, ...assignmentsIn(command.words.slice(1))])
        assigned.set(name, value);
  }
  const [chosen] = training;
  if (!chosen) throw noCommand();
  if (training.length > 1) notes.push(`${training.length} training commands were pasted: the first was read`);
  const { command, launcher } = chosen;
  if (command.hasExpansion) notes.push('variables ($NAME, $(...)) stand as they were written: put in what they mean');
  for (const dropped of command.redirections) notes.push(`${dropped}: left out, the run keeps its own log`);
  notes.push(...launcher.notes);

  const read = readRunFlags([launcher.recipe, ...launcher.words], {
    environment: { ...environment, ...Object.fromEntries([...assigned, ...command.assignments]) },
    onFault: (words, error) => notes.push(faultNote(words, error)),
  });
  notes.push(...read.notes);
  if (read.detach) notes.push('--detach: every run that the window starts goes on by itself');
  if (read.json || read.help) notes.push(`${read.json ? '--json' : '--help'}: has no meaning here`);
  const { request } = read;
  const draft: DraftRequest = {
    ...request,
    settings: { ...request.settings },
    rowsFolders: [...request.rowsFolders],
    ranks: Math.max(1, launcher.ranks ?? request.ranks),
  };
  applyEnvironment(draft, new Map([...assigned, ...command.assignments]), notes);
  return { request: placePaths(draft, folder, notes), notes };
}

function noCommand(): AppError {
  return new AppError(
    'no-command',
    'that is no command that trains: there is no python, torchrun, accelerate or whetstone in it, and no flag of the trainer',
    'Paste the whole command, as in: python -m your.trainer --adapter drag --rows-dir /data/rows --lr 1e-4, or: whetstone run webmix --adapter drag ...',
  );
}

function faultNote(words: readonly string[], error: AppError): string {
  const shown = words.join(' ');
  if (error.code !== 'unknown-flag') return `${shown}: ${error.message}; left out`;
  return error.message.includes('more than one')
    ? `${shown}: ${error.message}; left out. ${error.hint ?? ''}`.trim()
    : `${shown}: not known here, left out`;
}

function assignmentsIn(words: readonly string[]): [string, string][] {
  return words.flatMap((word): [string, string][] => {
    const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value]];
  });
}

/** What was set in front of the command: the base model and the device are read, all else is named. */
function applyEnvironment(draft: DraftRequest, variables: ReadonlyMap<string, string>, notes: string[]): void {
  for (const [name, value] of variables) {
    if (name === 'WEBMIX_BASE_MODEL') {
      // Read as the model, where no --model said otherwise.
      if (draft.model !== value) notes.push(`${name}=${value}: --model counts`);
    } else if (name === 'CUDA_VISIBLE_DEVICES') {
      notes.push(...chooseDevice(draft, value));
    } else {
      notes.push(`${name}=${value}: not set for the run; Whetstone hands on its own environment`);
    }
  }
}

function chooseDevice(draft: DraftRequest, value: string): string[] {
  const cards = value.split(',').map((card) => card.trim());
  const [card] = cards;
  const shown = `CUDA_VISIBLE_DEVICES=${value}`;
  if ('device' in draft.settings) return [`${shown}: --device counts`];
  if (!card || card === '-1') {
    draft.settings['device'] = 'cpu';
    return [`${shown}: read as device cpu`];
  }
  if (!/^\d+$/.test(card)) return [`${shown}: choose the device by its number`];
  if (cards.length > 1) return [`${shown}: several devices; this version trains on one, choose it under Machine`];
  draft.settings['device'] = `cuda:${Number(card)}`;
  return [`${shown}: read as device cuda:${Number(card)}`];
}

/** Relative paths are kept as they were written, or put behind the folder that the command changed to. */
function placePaths(draft: DraftRequest, folder: string | null, notes: string[]): DraftRequest {
  const base = folder !== null && path.isAbsolute(folder) ? folder : null;
  const relative: string[] = [];
  const place = (text: string): string => {
    const expanded = expandHome(text);
    if (text === '' || path.isAbsolute(expanded)) return expanded;
    if (base !== null) return path.join(base, expanded);
    relative.push(text);
    return text;
  };
  const optional = (text: string | null): string | null => (text === null ? null : place(text));
  const settings = { ...draft.settings };
  for (const { name, metavar } of recipes.webmix.settings) {
    const value = settings[name];
    if (metavar === 'FOLDER' && typeof value === 'string') settings[name] = place(value);
  }
  const placed = {
    ...draft,
    settings,
    model: isHubId(draft.model) ? draft.model : place(draft.model),
    processor: optional(draft.processor),
    rowsFolders: draft.rowsFolders.map(place),
    output: optional(draft.output),
    episodeIdsFile: optional(draft.episodeIdsFile),
  };
  if (base !== null) notes.push(`relative paths are within ${base}, as the cd in front says`);
  if (relative.length > 0)
    notes.push(
      `${[...new Set(relative)].join(', ')}: relative, and the command does not say to what; give the whole ${relative.length === 1 ? 'path' : 'paths'}`,
    );
  return placed;
}
