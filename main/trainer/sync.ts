/**
 * Brings the history up to date with the run folders, which are the truth: runs that it does not know are registered, and events behind the offset that
 * it stopped at are taken in. So the history can be removed at any time, and runs that were started without it appear in it.
 */
import { statSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../contract/errors.ts';
import { readPlan } from '../plan/write-plan.ts';
import type { WriteDb } from '../store/database.ts';
import { ingest } from '../store/ingest.ts';
import { describeRun, findRun, registerRun, summarizePlan, type PlanSummary, type RunRecord } from '../store/runs.ts';
import { readEvents } from './event-tailer.ts';
import { readPerson } from './person.ts';
import { eventsFile, listRunIds, planFile, readRunFile } from './run-folder.ts';

export interface SyncFault {
  folder: string;
  message: string;
}

/** A plan as the history keeps it, and the hash of its file. */
export interface RegisteredPlan {
  plan: PlanSummary;
  sha256: string;
}

/** Reads and checks all of plan.json: seconds for hundreds of thousands of row visits. Throws AppError. */
export function readRegisteredPlan(folder: string): RegisteredPlan {
  const { plan, sha256 } = readPlan(folder);
  return { plan: summarizePlan(plan), sha256 };
}

/**
 * What the history says of the run in `folder`, after it was brought up to date with everything in the folder but its events: registered where it is new, its place,
 * name and note taken over where it is not. `read` gives the plan of one that is new. Throws AppError for a plan that cannot be read.
 */
export function registerFolder(db: WriteDb, folder: string, read = readRegisteredPlan): RunRecord {
  const id = path.basename(folder);
  const known = findRun(db, id);
  const person = readPerson(folder);
  if (known) {
    const now = { folder, name: person?.name ?? known.name, note: person?.note ?? known.note };
    if (now.folder === known.folder && now.name === known.name && now.note === known.note) return known;
    describeRun(db, known.run, now);
    return { ...known, ...now };
  }
  const { plan, sha256 } = read(folder);
  const created = statSync(planFile(folder)).mtimeMs / 1000;
  registerRun(db, { id, folder, plan, planSha256: sha256, runFile: readRunFile(folder), person, created });
  const registered = findRun(db, id);
  if (!registered) throw new Error(`run ${id} was registered and is not there`);
  return registered;
}

/** Takes one run folder in, up to the end of its events as they are now. Gives the run's key. Throws AppError for a plan that cannot be read. */
export function syncRun(db: WriteDb, folder: string): number {
  const known = registerFolder(db, folder);
  const file = eventsFile(folder);
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  for (let offset = known.eventsOffset; offset < size;) {
    const batch = readEvents(file, offset);
    if (batch.offset === offset) break;
    ingest(db, known.run, offset, batch);
    offset = batch.offset;
  }
  return known.run;
}

/** Takes all run folders in. A folder that cannot be is passed over and reported, so that one bad run does not hide the others. */
export function syncRuns(db: WriteDb, runs: string): SyncFault[] {
  const faults: SyncFault[] = [];
  for (const id of listRunIds(runs)) {
    const folder = path.join(runs, id);
    try {
      syncRun(db, folder);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      faults.push({ folder, message: error.message });
    }
  }
  return faults;
}
