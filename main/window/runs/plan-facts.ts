/** What the run page takes from plan.json. A plan is megabytes, so it is read when a run is looked at, and only these facts of it are kept. */
import { readFileSync } from 'node:fs';
import type { Plan } from '../../contract/plan.ts';
import type { RunDetail } from '../../contract/window/runs.ts';
import { planFile } from '../../trainer/run-folder.ts';

export interface PlanFacts {
  rowsFolders: string[];
  episodeIdsFile: string | null;
  epochStarts: number[];
  epochs: number;
  clipNorm: number | null;
  /** Whole plan: what is behind is left out by who shows it. */
  actions: RunDetail['planned'];
  /** Names of the visits that a failure is about, with step and ordinal. */
  failedRows: string[];
}

const mostNamed = 64;

/**
 * Of a plan that was checked in full when the run was taken into the history: checking hundreds of thousands of visits again takes seconds. `failed`: ordinals that
 * names are wanted for. Throws where there is no plan (any more), or none that can be read.
 */
export function readPlanFacts({ folder, failed }: { folder: string; failed: readonly number[] }): PlanFacts {
  return factsOfPlan(JSON.parse(readFileSync(planFile(folder), 'utf8')) as Plan, failed);
}

function rowsFoldersOf(plan: Plan): string[] {
  const args = plan.output.meta?.fields['args'];
  const folders = args && typeof args === 'object' && 'rows_dir' in args ? args.rows_dir : null;
  return [folders].flat().filter((each) => typeof each === 'string');
}

function episodeIdsFileOf(plan: Plan): string | null {
  const args = plan.output.meta?.fields['args'];
  const file = args && typeof args === 'object' && 'episode_ids' in args ? args.episode_ids : null;
  return typeof file === 'string' ? file : null;
}

function factsOfPlan(plan: Plan, failed: readonly number[]): PlanFacts {
  const order = plan.phases[0]?.order;
  const epochs = order?.epoch ?? [];
  const epochStarts: number[] = [];
  for (let at = 1; at < epochs.length; at += 1) if (epochs[at] !== epochs[at - 1]) epochStarts.push(at);
  const failedRows = failed.slice(0, mostNamed).map((ordinal) => {
    const row = order?.row[ordinal];
    const name = row === undefined ? undefined : plan.rows.name[row];
    return `${name ?? 'a row that the plan does not name'} (step ${order?.step[ordinal] ?? '?'}, visit ${ordinal})`;
  });
  return {
    rowsFolders: rowsFoldersOf(plan),
    episodeIdsFile: episodeIdsFileOf(plan),
    epochStarts,
    epochs: epochs.reduce((most, epoch) => Math.max(most, epoch + 1), 0),
    clipNorm: plan.optimizer.clip_norm,
    actions: (plan.phases[0]?.actions ?? []).map(({ after_rows: rows, save, evaluate }) => ({
      name: save ?? null,
      rows,
      evaluate: evaluate ?? [],
    })),
    failedRows,
  };
}
