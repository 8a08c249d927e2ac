/** What the run page takes from plan.json. A plan is megabytes, so it is read when a run is looked at, and only these facts of it are kept. */
import { readFileSync, statSync } from 'node:fs';
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
  named: (ordinals: readonly number[]) => string[];
}

const mostNamed = 64;

/** It was checked in full when the run was taken into the history: checking hundreds of thousands of visits again takes seconds. */
const readKnownPlan = (folder: string): Plan => JSON.parse(readFileSync(planFile(folder), 'utf8')) as Plan;

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
  const names = new Map(
    failed.slice(0, mostNamed).map((ordinal): [number, string] => {
      const row = order?.row[ordinal];
      const name = row === undefined ? undefined : plan.rows.name[row];
      return [
        ordinal,
        `${name ?? 'a row that the plan does not name'} (step ${order?.step[ordinal] ?? '?'}, visit ${ordinal})`,
      ];
    }),
  );
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
    named: (ordinals) => ordinals.flatMap((ordinal) => names.get(ordinal) ?? []),
  };
}

const mostKept = 24;

export class PlanFactsCache {
  readonly #kept = new Map<string, { stamp: string; facts: PlanFacts }>();

  /** undefined: there is no plan (any more), or none that can be read. `failed`: ordinals that names are wanted for. */
  of(folder: string, failed: readonly number[]): PlanFacts | undefined {
    try {
      const { mtimeMs, size } = statSync(planFile(folder));
      const stamp = `${mtimeMs} ${size} ${failed.join(',')}`;
      const kept = this.#kept.get(folder);
      const facts = kept?.stamp === stamp ? kept.facts : factsOfPlan(readKnownPlan(folder), failed);
      this.#kept.delete(folder);
      this.#kept.set(folder, { stamp, facts });
      const oldest = this.#kept.keys().next();
      if (this.#kept.size > mostKept && !oldest.done) this.#kept.delete(oldest.value);
      return facts;
    } catch {
      return undefined;
    }
  }
}
