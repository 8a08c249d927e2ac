/**
 * Where things of a run stand on the x axis. Checkpoints, evaluations and epochs are known in row visits and optimizer steps; where x counts tokens or time they
 * are placed through the curve, which knows both. What cannot be placed is left out, never guessed.
 */
import type { RunDetail, Series } from '../../../main/contract/window/runs.ts';
import type { XKind } from '../../charts/chart-view.ts';
import { xOfStep } from '../../charts/cursor.ts';

export interface Place {
  rows: number;
  /** Optimizer steps done; null: not known. */
  step: number | null;
}

/** x of a place, or null. `curve` maps steps to x. */
export function placeOn(kind: XKind, curve: Series | null, place: Place): number | null {
  if (kind === 'rows') return place.rows;
  if (place.step === null) return null;
  if (kind === 'steps') return place.step;
  if (place.step === 0) return 0;
  return curve === null ? null : xOfStep(curve, place.step - 1);
}

/** Steps done after so many row visits, where the run says it of a checkpoint, an evaluation or a segment. */
export function stepAtRows(
  run: Pick<RunDetail, 'checkpoints' | 'evaluations' | 'segments'>,
  rows: number,
): number | null {
  if (rows === 0) return 0;
  const known =
    run.checkpoints.find((each) => each.rows === rows)?.step ??
    run.evaluations.find((each) => each.rows === rows)?.step ??
    run.segments.find((each) => each.fromRows === rows)?.fromStep;
  return known ?? null;
}

export interface SavedMark {
  name: string;
  x: number;
  epoch: boolean;
  /** Where on the lane its name stands; null: there is no room. */
  label: string | null;
}

/** Adapters in order of x; names that would run into each other are left out (the marks stay). `apart`: the width of a name, in units of x. */
export function savedMarks(run: RunDetail, kind: XKind, curve: Series | null, apart: number): SavedMark[] {
  const marks: SavedMark[] = [];
  for (const saved of run.checkpoints) {
    if (saved.kind !== 'adapter') continue;
    const x = placeOn(kind, curve, saved);
    if (x !== null) marks.push({ name: saved.name, x, epoch: saved.name.startsWith('epoch'), label: null });
  }
  marks.sort((a, b) => a.x - b.x);
  let free = -Infinity;
  for (const [i, mark] of marks.entries()) {
    const next = marks[i + 1]?.x ?? Infinity;
    // The last one of a group stands for it: its name has room to the right.
    if (mark.x < free || next - mark.x < apart * 0.8) continue;
    mark.label = mark.name.replace(/^rows_/, '');
    free = mark.x + apart;
  }
  return marks;
}

/** Between where a resume began and where what it replaced had come to. */
export function replacedRanges(curve: Series | null): [number, number][] {
  return (curve?.replaced ?? [])
    .filter((old) => old.x.length > 0)
    .map((old): [number, number] => [Number(old.x[0]), Number(old.x[old.x.length - 1])]);
}
