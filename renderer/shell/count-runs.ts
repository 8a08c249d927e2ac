/** The counts in the top bar, over all hosts. */
import type { RunState } from '../../main/contract/runs.ts';

export interface RunCounts {
  /** At work: starting, running or stopping. */
  running: number;
  failed: number;
  interrupted: number;
  all: number;
}

export function countRuns(runs: readonly { state: RunState }[]): RunCounts {
  const count = (...states: RunState[]): number => runs.filter((run) => states.includes(run.state)).length;
  return {
    running: count('preparing', 'running', 'stopping'),
    failed: count('failed'),
    interrupted: count('lost'),
    all: runs.length,
  };
}
