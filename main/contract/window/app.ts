/** The app itself and the machine that it runs on, as the window shows them. */
import type { WireError } from './reply.ts';

export interface AppInfo {
  version: string;
  /** What carries the window: the desktop app, or a browser over `whetstone serve`. */
  carrier: 'electron' | 'serve';
  host: string;
  platform: string;
  dataFolder: string;
  /** Home folder of the user on that host: where browsing for folders begins. */
  home: string;
  /** The main process can show the system's own dialog for folders (`folders.pick`). */
  folderDialog: boolean;
  /** The demo's model and rows are there. */
  demo: boolean;
  /** Why there is no history (database damaged, on a network disk, in use by another Whetstone, ...); null while it works. */
  historyProblem: WireError | null;
  /** Seconds since 1970, so that the window can tell how far its clock is from the host's. */
  now: number;
}

export interface MachineItem {
  name: string;
  state: 'good' | 'warning' | 'bad' | 'unknown';
  text: string;
  /** What to do about it; null where nothing is to be done. */
  hint: string | null;
}

export interface TrainerDevice {
  /** As the setting `device` takes it: cpu, cuda:0, ... */
  id: string;
  name: string;
  memoryGib: number | null;
}

export interface MachineCheck {
  /** Seconds since 1970; how long the check took. */
  time: number;
  seconds: number;
  items: MachineItem[];
  /** What the trainer can run on; empty when it is not built. */
  devices: TrainerDevice[];
  disks: { name: string; folder: string; freeBytes: number; totalBytes: number }[];
}

export interface FolderEntry {
  name: string;
  /** What it looks like from its files: a model (config.json), an adapter (adapter_config.json), an episode (rows.jsonl). */
  looksLike: 'model' | 'adapter' | 'episode' | null;
}

export interface FolderListing {
  /** Absolute, links as given. */
  folder: string;
  /** null at the root. */
  parent: string | null;
  /** Folders in it, by name; at most 2000. */
  entries: FolderEntry[];
  more: boolean;
  looksLike: FolderEntry['looksLike'] | 'rows';
}
