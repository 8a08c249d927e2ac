/** Folders of the host, for choosing one in the window: what is in them, and which look like something that a run needs. */
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { AppError } from '../../contract/errors.ts';
import type { FolderEntry, FolderListing } from '../../contract/window/app.ts';
import { fileError } from '../../io/atomic-file.ts';
import { expandHome } from '../expand-home.ts';

const mostEntries = 2000;
/** Of these many entries the looks are found out: each costs three looks at the disk. */
const mostLooked = 500;
/** Sub-folders that are tried when a folder is asked whether it holds episodes. */
const mostTried = 24;

function looksLike(folder: string): FolderEntry['looksLike'] {
  const has = (name: string): boolean => existsSync(path.join(folder, name));
  if (has('rows.jsonl')) return 'episode';
  if (has('adapter_config.json')) return 'adapter';
  return has('config.json') ? 'model' : null;
}

/** `wanted`: absolute, `~/...`, or '' for the home folder. Links are followed and shown as given. Throws AppError. */
export async function listFolder(wanted: string, home: string = os.homedir()): Promise<FolderListing> {
  const given = wanted.trim();
  const expanded = given === '' ? home : expandHome(given, home);
  if (!path.isAbsolute(expanded))
    throw new AppError(
      'folder-not-absolute',
      `${JSON.stringify(given)} is no whole path`,
      'Give a path that begins with / (or with ~/ for your home folder).',
    );
  const folder = path.resolve(expanded);
  let names: string[];
  try {
    if (!(await stat(folder)).isDirectory())
      throw new AppError(
        'not-a-folder',
        `${folder} is a file, not a folder`,
        `Give the folder that it lies in: ${path.dirname(folder)}`,
      );
    names = await foldersIn(folder);
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof Error && 'code' in error && error.code === 'EACCES')
      throw new AppError(
        'folder-forbidden',
        `${folder} may not be read by you`,
        'Ask its owner for the right to read it, or give another folder.',
      );
    throw fileError(error, 'read', folder);
  }
  const shown = names.slice(0, mostEntries);
  const entries = shown.map((name, at) => ({
    name,
    looksLike: at < mostLooked ? looksLike(path.join(folder, name)) : null,
  }));
  const parent = path.dirname(folder);
  const own = looksLike(folder);
  const holdsEpisodes =
    entries.some((entry) => entry.looksLike === 'episode') ||
    names.slice(0, mostTried).some((name) => existsSync(path.join(folder, name, 'rows.jsonl')));
  return {
    ...{ folder, parent: parent === folder ? null : parent, entries, more: names.length > mostEntries },
    looksLike: own ?? (holdsEpisodes ? 'rows' : null),
  };
}

/** Names of folders and of links to folders, as people sort them; hidden ones last. */
async function foldersIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) names.push(entry.name);
    else if (entry.isSymbolicLink()) {
      const target = await stat(path.join(folder, entry.name)).catch(() => undefined);
      if (target?.isDirectory()) names.push(entry.name);
    }
  }
  const { compare } = new Intl.Collator('en', { numeric: true });
  const hidden = (name: string): number => (name.startsWith('.') ? 1 : 0);
  return names.sort((one, other) => hidden(one) - hidden(other) || compare(one, other));
}
