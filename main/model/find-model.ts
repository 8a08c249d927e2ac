/**
 * Finds a base model: a folder, or a hub id in the cache that the Python tools fill (`hf download`). Nothing is fetched: a model is gigabytes, and which
 * revision of it is trained on is the user's to say.
 */
import { existsSync, readFileSync, readdirSync, realpathSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { AppError } from '../contract/errors.ts';

interface Environment {
  readonly [name: string]: string | undefined;
}

export interface FoundModel {
  /** Folder with config.json and safetensors; a snapshot of the hub's cache, or the folder that was given. Absolute. */
  path: string;
  /** What goes into adapter_config.json and meta files: the hub id where there is one, else the folder. */
  name: string;
  /** Commit of the hub's repository, where known. */
  revision: string | null;
}

/** Folders that the hub's cache may be in, by the rules of huggingface_hub; the first is the one that counts. */
export function hubCaches(environment: Environment = process.env, home: string = os.homedir()): string[] {
  const own = environment['HF_HUB_CACHE'] ?? environment['HUGGINGFACE_HUB_CACHE'];
  const hfHome = environment['HF_HOME'];
  const xdg = environment['XDG_CACHE_HOME'];
  return [
    ...(own ? [path.resolve(own)] : []),
    ...(hfHome ? [path.join(path.resolve(hfHome), 'hub')] : []),
    path.join(xdg ? path.resolve(xdg) : path.join(home, '.cache'), 'huggingface', 'hub'),
  ];
}

const snapshotPattern = /[\\/]models--([^\\/]+?)--([^\\/]+)[\\/]snapshots[\\/]([^\\/]+)$/;

/** `wanted` is a folder or a hub id, optionally with a revision behind an @. Throws AppError `no-such-model` that says where it was looked for. */
export function findModel(
  wanted: string,
  environment: Environment = process.env,
  home: string = os.homedir(),
): FoundModel {
  const folder = path.resolve(wanted.startsWith('~/') ? path.join(home, wanted.slice(2)) : wanted);
  if (existsSync(folder)) {
    if (!statSync(folder).isDirectory())
      throw new AppError(
        'no-such-model',
        `${folder} is a file, not the folder of a model`,
        'Give the folder that its config.json is in.',
      );
    const real = realpathSync(folder);
    const [, owner, name, revision] = snapshotPattern.exec(real) ?? [];
    return owner && name && revision
      ? { path: folder, name: `${owner}/${name}`, revision }
      : { path: folder, name: folder, revision: null };
  }

  if (isHubId(wanted)) return findHubModel(wanted, environment, home, `for a folder ${folder}, and `);
  throw new AppError(
    'no-such-model',
    `no such model: there is no folder ${folder}`,
    'Give the folder of a model, or the id of one that is in the cache of the hub (as in Qwen/Qwen3.5-4B).',
  );
}

const hubIdPattern = /^([\w.-]+\/[\w.-]+?)(?:@([\w./-]+))?$/;

/** As `Qwen/Qwen3.5-4B`, with a revision behind an @ or without. */
export function isHubId(text: string): boolean {
  return hubIdPattern.test(text) && !/^\.{1,2}\//.test(text);
}

/**
 * A hub id in the cache, whatever folders of that name there are. Throws AppError `no-such-model`.
 * @param alsoLooked where it was looked for before, for the message: "for a folder x, and ".
 */
export function findHubModel(
  wanted: string,
  environment: Environment = process.env,
  home: string = os.homedir(),
  alsoLooked = '',
): FoundModel {
  const [, id = wanted, revision] = hubIdPattern.exec(wanted) ?? [];
  const caches = hubCaches(environment, home);
  for (const cache of caches) {
    const repository = path.join(cache, `models--${id.replaceAll('/', '--')}`);
    const found = snapshotOf(repository, revision);
    if (found) return { path: found.path, name: id, revision: found.revision };
  }
  throw new AppError(
    'no-such-model',
    `no such model: ${wanted}. Looked ${alsoLooked}in the cache${caches.length > 1 ? 's' : ''} ${caches.join(', ')}`,
    `Fetch it with: hf download ${id}${revision ? ` --revision ${revision}` : ''} (or set HF_HOME or HF_HUB_CACHE to where it is).`,
  );
}

function snapshotOf(repository: string, revision: string | undefined): { path: string; revision: string } | undefined {
  const snapshots = path.join(repository, 'snapshots');
  if (!existsSync(snapshots)) return undefined;
  const reference = path.join(repository, 'refs', revision ?? 'main');
  const commit = existsSync(reference) ? readFileSync(reference, 'utf8').trim() : (revision ?? '');
  if (commit && existsSync(path.join(snapshots, commit)))
    return { path: path.join(snapshots, commit), revision: commit };
  // Fetched by a commit, so nothing is called main: unambiguous only if it is alone.
  const all = readdirSync(snapshots);
  const [only] = all;
  return revision === undefined && only && all.length === 1
    ? { path: path.join(snapshots, only), revision: only }
    : undefined;
}
