/**
 * plan.json on disk. A plan has a few hundred thousand numbers in a handful of columns: a column is one line, everything else is indented, so that people
 * can read and diff a plan in an ordinary editor and the file stays a few megabytes.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../contract/errors.ts';
import { planSchema } from '../contract/plan.ts';
import type { Plan } from '../contract/plan.ts';
import { fileError, writeFileAtomic } from '../io/atomic-file.ts';
import { checkPlan } from './check-plan.ts';

export const planFileName = 'plan.json';

const isScalar = (value: unknown): boolean => value === null || typeof value !== 'object';
const isScalarList = (value: unknown): value is unknown[] => Array.isArray(value) && value.every(isScalar);

/** One line for what a person reads as one thing: an object of scalars with at most one short list. Tables of columns are not. */
function isFlat(value: unknown): boolean {
  if (isScalar(value) || isScalarList(value)) return true;
  if (Array.isArray(value)) return false;
  const parts = Object.values(value as object);
  const lists = parts.filter((part) => !isScalar(part));
  return lists.length <= 1 && lists.every((list) => isScalarList(list) && list.length <= 8);
}

function layOut(value: unknown, indent: string, top: boolean): string {
  if (isFlat(value) && !top) return JSON.stringify(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) return `[\n${value.map((v) => inner + layOut(v, inner, false)).join(',\n')}\n${indent}]`;
  const entries = Object.entries(value as object).filter(([, v]) => v !== undefined);
  const lines = entries.map(([k, v]) => `${inner}${JSON.stringify(k)}: ${layOut(v, inner, false)}`);
  return `{\n${lines.join(',\n')}\n${indent}}`;
}

/** The text of plan.json, with a line break at its end. */
export function formatPlan(plan: Plan): string {
  return `${layOut(plan, '', true)}\n`;
}

export interface WrittenPlan {
  /** Absolute path of plan.json. */
  file: string;
  bytes: number;
  /** Hex SHA-256 of the file's bytes; checkpoints and resume states name it. */
  sha256: string;
}

/** Checks `plan` and writes it as `folder`/plan.json, whole or not at all. The folder has to exist. Throws AppError. */
export function writePlan(plan: Plan, folder: string): WrittenPlan {
  checkPlan(plan);
  const bytes = Buffer.from(formatPlan(plan));
  const file = path.resolve(folder, planFileName);
  writeFileAtomic(file, bytes);
  return { file, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** Reads a plan.json (a path to the file, or to the folder that it lies in) and checks it. Throws AppError. */
export function readPlan(fileOrFolder: string): { plan: Plan; sha256: string } {
  const file = fileOrFolder.endsWith('.json') ? fileOrFolder : path.join(fileOrFolder, planFileName);
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw fileError(error, 'read', file);
  }
  const plan = parsePlan(bytes.toString('utf8'), file);
  return { plan, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** @param file what to call it in messages. Throws AppError. */
export function parsePlan(text: string, file: string): Plan {
  const hint = 'docs/formats/plan.md describes the file; write the plan again.';
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new AppError('plan-not-json', `${file} is not JSON: ${String(error)}`, hint, { cause: error });
  }
  const parsed = planSchema.safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const where = issue?.path.map(String).join('.') ?? '';
    throw new AppError(
      'plan-misshapen',
      `${file}: ${where || 'the top level'}: ${issue?.message ?? 'misshapen'}`,
      hint,
    );
  }
  checkPlan(parsed.data, file);
  return parsed.data;
}
