/** Rows on disk as the rest of the program sees them, and where their encoded form is. Shapes only. */

/** An image file that a row refers to. Sizes and hash are those of the file when the pool was read. */
export interface PoolImage {
  /** Absolute, links resolved. */
  path: string;
  bytes: number;
  /** Hex SHA-256 of the file's bytes. */
  sha256: string;
  /** Pixels, from the file's header. */
  width: number;
  height: number;
}

/** One row of a rows.jsonl without its messages (those are read again where they are needed: a pool has 800 MB of them). */
export interface PoolRow {
  /** Name of the episode's folder as it stands in the rows folder; what episodes are sorted by. */
  episode: string;
  /** Real path of the episode's folder (links resolved). */
  folder: string;
  /** 1-based line in rows.jsonl. */
  line: number;
  /** Where the line lies in rows.jsonl, in bytes, without its line break. */
  offset: number;
  length: number;
  /** Hex SHA-256 over messages, target and images: equal keys encode to equal examples. */
  key: string;
  taskId: string;
  step: number | null;
  segment: string | number | null;
  macro: string | null;
  family: string;
  op: string | null;
  resolved: boolean | string | null;
  memoryBy: string | null;
  /** From episode.json: the trajectories that a chain is made of; null without or with a broken file. */
  parts: readonly string[] | null;
  images: readonly PoolImage[];
}

/** A row that cannot be used, and why. */
export interface BadRow {
  file: string;
  line: number;
  code: string;
  message: string;
}

export interface Pool {
  /** The rows folders as given. */
  folders: readonly string[];
  /** Folders in the order given, episodes by name in code-point order, lines in file order. Without injected and aug_prefix rows. */
  rows: readonly PoolRow[];
  bad: readonly BadRow[];
  /** Rows left out on purpose. */
  leftOut: { inject: number; augPrefix: number };
  /** Links that lead out of the rows folders, so that they can be listed once. */
  linkTargets: readonly string[];
}

export type FallbackReason = 'no-action' | 'length-differs';

/** Where a row's encoded form is, and what the plan has to know of it. */
export interface EncodedRow {
  /** Absolute path of the encoded dataset (docs/formats/encoded-dataset.md). */
  file: string;
  /** Index in that file. */
  row: number;
  /** Length of the token sequence, image placeholders included. */
  tokens: number;
  imageTokens: number;
  targets: number;
  /** How many targets the action column marks. */
  actionTargets: number;
  /** Why the action column is 1 everywhere, else null. */
  fallback: FallbackReason | null;
}
