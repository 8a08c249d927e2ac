/** `whetstone runs`: all runs, newest first. */
import type { RunSummary } from '../../contract/runs.ts';
import { listRuns } from '../../store/runs.ts';
import { summarize } from '../../trainer/summary.ts';
import { withHistory } from '../history.ts';
import { duration } from '../progress-bar.ts';

export function stateText(run: RunSummary): string {
  const heard = run.lastHeardSeconds === null ? '' : `last heard ${duration(run.lastHeardSeconds)} ago`;
  if (run.elsewhere && (run.state === 'running' || run.state === 'preparing' || run.state === 'stopping'))
    return `${run.state} on ${run.host ?? '?'}, ${heard}`;
  return run.state === 'running' && run.phase !== null && run.phase !== 'training' ? run.phase : run.state;
}

const figure = (value: unknown): string => (typeof value === 'number' ? value.toPrecision(4) : '');

export function runsCommand(options: { json?: boolean }): void {
  const runs = withHistory((db) => (db ? listRuns(db).map((record) => summarize(db, record)) : []));
  if (options.json) {
    console.log(JSON.stringify(runs, null, 2));
    return;
  }
  if (runs.length === 0) {
    console.log('no runs yet; whetstone run --help says how to start one');
    return;
  }
  const heading = ['id', 'name', 'recipe', 'state', 'rows', 'ce', 'held out'];
  const table = runs.map((run) => {
    const heldOut = run.evaluations.find(({ set }) => set === 'held_out') ?? run.evaluations[0];
    return [
      run.id,
      run.name,
      run.recipe,
      stateText(run),
      `${run.rows}/${run.totalRows}`,
      figure(run.lastLog?.['ce']),
      figure(heldOut?.mean),
    ];
  });
  const widths = heading.map((title, column) =>
    Math.max(title.length, ...table.map((row) => row[column]?.length ?? 0)),
  );
  for (const row of [heading, ...table])
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}
