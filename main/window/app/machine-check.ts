/** Whether this machine can do what is asked of it, looked at when a person wants to know: each finding with what to do about it. */
import { existsSync, readdirSync, statfsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { AppError } from '../../contract/errors.ts';
import type { MachineCheck, MachineItem, TrainerDevice } from '../../contract/window/app.ts';
import type { WireError } from '../../contract/window/reply.ts';
import { hubCaches } from '../../model/find-model.ts';
import { dataFolder, databaseFile, type Environment } from '../../paths.ts';
import { networkFileSystem } from '../../store/database.ts';
import { askTrainer } from '../../trainer/ask-trainer.ts';
import { logoutWarning } from '../../trainer/logout.ts';

/** What `whetstone-trainer describe` says. */
const descriptionSchema = z.object({
  trainer: z.string(),
  torch: z.string().default('?'),
  devices: z.array(z.object({ index: z.int(), name: z.string(), memory_gib: z.number() })).default([]),
  architectures: z.array(z.string()).default([]),
});
export type TrainerDescription = z.infer<typeof descriptionSchema>;

const lowBytes = 10 * 2 ** 30;
/** Disks are sold and shown everywhere in powers of 1000. */
const gb = (bytes: number): string => `${(bytes / 1e9).toFixed(bytes < 1e10 ? 1 : 0)} GB`;
const gib = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(bytes < 10 * 2 ** 30 ? 1 : 0)} GiB`;

/** Throws AppError: the trainer is not built, or does not start (a missing library, a driver that is too old). */
export async function describeTrainer(environment: Environment, describeMs = 30_000): Promise<TrainerDescription> {
  const signal = AbortSignal.timeout(describeMs);
  let text: string;
  try {
    text = await askTrainer(['describe'], { environment, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new AppError(
      'trainer-silent',
      `the trainer did not say within ${describeMs / 1000} s what it is`,
      'A driver or a disk may hang: look at what nvidia-smi says, then check again.',
    );
  }
  try {
    return descriptionSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new AppError(
      'trainer-description',
      'the trainer says nothing that this version understands about itself',
      'Build it anew with: npm run setup',
      { cause: error },
    );
  }
}

/** cpu, then the cards; ids as the setting `device` takes them. */
export function devicesOf({ devices }: TrainerDescription): TrainerDevice[] {
  const [processor] = os.cpus();
  return [
    {
      id: 'cpu',
      name: `${processor?.model.trim() || os.arch()}, ${os.availableParallelism()} threads`,
      memoryGib: os.totalmem() / 2 ** 30,
    },
    ...devices.map(({ index, name, memory_gib: memoryGib }) => ({ id: `cuda:${index}`, name, memoryGib })),
  ];
}

function fault(name: string, error: unknown): MachineItem {
  const known = error instanceof AppError ? error : undefined;
  const text = error instanceof Error ? error.message : String(error);
  return { name, state: 'bad', text, hint: known?.hint ?? null };
}

function trainerItems(description: TrainerDescription): MachineItem[] {
  const { trainer, torch, architectures, devices } = description;
  const cards = devices.map(({ name, memory_gib: memory }) => `${name} (${memory.toFixed(0)} GiB)`).join(', ');
  return [
    {
      name: 'Trainer',
      state: 'good',
      text: `${trainer}, libtorch ${torch}; models: ${architectures.join(', ')}`,
      hint: null,
    },
    cards
      ? { name: 'GPU', state: 'good', text: cards, hint: null }
      : {
          name: 'GPU',
          state: 'warning',
          text: 'the trainer sees none; it can train small models on the CPU',
          hint: 'With a GPU in this machine: look at what nvidia-smi says, and build the trainer for CUDA with npm run setup.',
        },
  ];
}

function modelsItem(environment: Environment): MachineItem {
  const caches = hubCaches(environment);
  const count = new Set(
    caches.flatMap((cache) => {
      try {
        return readdirSync(cache).filter((name) => name.startsWith('models--'));
      } catch {
        return [];
      }
    }),
  ).size;
  return count > 0
    ? {
        name: 'Models',
        state: 'good',
        text: `${count} in the cache of the hub (${caches.filter(existsSync).join(', ')})`,
        hint: null,
      }
    : {
        name: 'Models',
        state: 'warning',
        text: `none in the cache of the hub (${caches.join(', ')})`,
        hint: 'Fetch one with hf download, or give the folder of a model when you set up a run.',
      };
}

type Disk = MachineCheck['disks'][number];

function disk(name: string, wanted: string): Disk | undefined {
  let folder = path.resolve(wanted);
  while (!existsSync(folder) && path.dirname(folder) !== folder) folder = path.dirname(folder);
  try {
    const { bavail, blocks, bsize } = statfsSync(folder);
    return { name, folder: wanted, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return undefined;
  }
}

function diskItem({ name, folder, freeBytes, totalBytes }: Disk): MachineItem {
  const text = `${gb(freeBytes)} of ${gb(totalBytes)} free in ${folder}`;
  return freeBytes < lowBytes
    ? {
        name,
        state: 'warning',
        text,
        hint: 'Checkpoints and encoded rows need room: make some, or set WHETSTONE_DATA to a folder on another disk.',
      }
    : { name, state: 'good', text, hint: null };
}

function historyItem(environment: Environment, problem: WireError | null): MachineItem {
  if (problem) return { name: 'History', state: 'bad', text: problem.message, hint: problem.hint };
  const file = databaseFile(environment);
  const type = networkFileSystem(path.dirname(file));
  return { name: 'History', state: 'good', text: type ? `${file} (on ${type})` : file, hint: null };
}

/** Threads of one process share the weights over it; containers often have 64 MiB. */
function sharedMemoryItem(): MachineItem | undefined {
  const shared = process.platform === 'linux' ? disk('Shared memory', '/dev/shm') : undefined;
  if (!shared) return undefined;
  const text = `${gib(shared.totalBytes)} in /dev/shm`;
  return shared.totalBytes < 2 ** 30
    ? {
        name: 'Shared memory',
        state: 'warning',
        text,
        hint: 'Several GPUs of one run talk over it. Start the container with --shm-size=8g (or --ipc=host).',
      }
    : { name: 'Shared memory', state: 'good', text, hint: null };
}

function logoutItem(): MachineItem {
  const warning = logoutWarning();
  if (!warning) return { name: 'Logout', state: 'good', text: 'runs go on after a logout', hint: null };
  const [text = warning, hint] = warning.replace(/^note: /, '').split('; ', 2);
  return { name: 'Logout', state: 'warning', text, hint: hint ?? null };
}

export async function checkMachine(environment: Environment, historyProblem: WireError | null): Promise<MachineCheck> {
  const began = performance.now();
  const items: MachineItem[] = [];
  let devices: TrainerDevice[] = [];
  try {
    const description = await describeTrainer(environment);
    devices = devicesOf(description);
    items.push(...trainerItems(description));
  } catch (error) {
    items.push(fault('Trainer', error));
  }
  const disks = [disk('Data folder', dataFolder(environment)), disk('Temporary files', os.tmpdir())].filter(
    (each) => each !== undefined,
  );
  const [data] = disks;
  items.push(modelsItem(environment), historyItem(environment, historyProblem));
  if (data) items.push(diskItem(data));
  const shared = sharedMemoryItem();
  if (shared) items.push(shared);
  items.push(logoutItem());
  return { time: Date.now() / 1000, seconds: (performance.now() - began) / 1000, items, devices, disks };
}
