/** Rows of a pool as the window browses and shows them. */
import { z } from 'zod';
import type { BadRow, FallbackReason } from '../pool.ts';

export interface PoolEntry {
  /** Hash of the folders: the pool's address. */
  pool: string;
  folders: string[];
  /** Seconds since 1970. */
  opened: number;
}

export interface OpenPool extends PoolEntry {
  episodes: number;
  rows: number;
  families: { name: string; rows: number }[];
  variants: { name: string; rows: number }[];
  /** '' stands for rows without one. */
  operations: { name: string; rows: number }[];
  badCount: number;
  /** The first hundred of them. */
  bad: BadRow[];
  /** Rows that every reader leaves out: injected mistakes and what leads up to them. */
  leftOut: { inject: number; augPrefix: number };
}

export const rowFilterSchema = z.strictObject({
  /** Words that have to be in episode, task id or operation; small letters match capitals. */
  text: z.string().max(400).default(''),
  families: z.array(z.string()).max(100).default([]),
  variants: z.array(z.string()).max(10).default([]),
  operations: z.array(z.string()).max(400).default([]),
  episode: z.string().max(400).nullable().default(null),
});
export type RowFilter = z.infer<typeof rowFilterSchema>;
export const emptyFilter: RowFilter = { text: '', families: [], variants: [], operations: [], episode: null };

export interface EpisodeItem {
  name: string;
  taskId: string;
  rows: number;
  families: string[];
  variant: string;
}

export interface RowItem {
  /** Index in the pool. */
  index: number;
  episode: string;
  line: number;
  taskId: string;
  step: number | null;
  family: string;
  variant: string;
  operation: string | null;
  memoryBy: string | null;
  images: number;
}

export interface Page<Item> {
  /** All that match; `items` are those from `from` on. */
  total: number;
  from: number;
  items: Item[];
}

/** A part of a message that can be folded by itself: `<user_request>...</user_request>`, or text outside of such. */
export interface MessageSection {
  /** Tag name, or null for text outside. */
  name: string | null;
  text: string;
}

export type MessagePart = { kind: 'text'; sections: MessageSection[] } | { kind: 'image'; image: number };

export interface ShownMessage {
  role: string;
  parts: MessagePart[];
}

/** Where the target acts on the screenshot, in the row's own scale 0 to 1000 of width and height. */
export type ActionMark =
  | { kind: 'point'; name: string; x: number; y: number; label: string }
  | { kind: 'path'; name: string; points: [number, number][]; label: string }
  | { kind: 'arrow'; name: string; from: [number, number]; to: [number, number]; label: string }
  /** The element list says at most where it is; a place without extent has x0 = x1 and y0 = y1. */
  | { kind: 'element'; name: string; index: number; box: [number, number, number, number] | null; label: string }
  /** Has no place: typing, waiting, done. */
  | { kind: 'none'; name: string; label: string };

export interface ShownImage {
  name: string;
  width: number;
  height: number;
  bytes: number;
  /** Placeholder tokens in the prompt; null where the row could not be encoded. */
  tokens: number | null;
}

/** The supervised tokens in order, and the prompt's last few before them. Every array has one entry a token. */
export interface TargetTokens {
  ids: Int32Array;
  /** The text that each stands for, joined the whole of it; a character that several tokens share stands at the first, the others have ''. */
  texts: string[];
  /** Code points of the target, [start, end); -1 for prompt tokens and for the end token. */
  starts: Int32Array;
  ends: Int32Array;
  /** 1: has a target (carries CE under ce_on all). Prompt tokens have 0. */
  supervised: Uint8Array;
  /** 1: carries CE under ce_on action and KL. */
  action: Uint8Array;
  /** Index into `fields`; 255: none. */
  field: Uint8Array;
  fields: string[];
}

export interface RowDetail {
  item: RowItem;
  pool: string;
  /** rows.jsonl and line, as an editor takes them. */
  file: string;
  messages: ShownMessage[];
  images: ShownImage[];
  target: string;
  marks: ActionMark[];
  /** null: could not be encoded, `fault` says why (no model chosen, ...). */
  tokens: TargetTokens | null;
  fault: { code: string; message: string; hint: string | null } | null;
  /** Why every target counts as action; null: the action was found. */
  fallback: { reason: FallbackReason; meaning: string } | null;
  totalTokens: number | null;
  /** Model whose processor was used. */
  model: string | null;
  /** Among the rows of the filter it was asked with; `at` null: it is not one of them. `previous` and `next` are of those too. */
  place: { at: number | null; of: number };
  previous: { episode: string; line: number } | null;
  next: { episode: string; line: number } | null;
}

export interface RowImage {
  /** image/png, image/jpeg, image/webp. */
  type: string;
  bytes: Uint8Array;
}
