/** `whetstone show RUN`: one run, whole. */
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../../contract/errors.ts';
import { runsFolder } from '../../paths.ts';
import { findRun, runCheckpoints, runEvaluations, runLog, runWarnings } from '../../store/runs.ts';
import { findRunFolder } from '../../trainer/run-folder.ts';
import { unverifiedText, verifiedText } from '../../trainer/verified.ts';
import { readRunFileOrNone, summarize } from '../../trainer/summary.ts';
import { withHistory } from '../history.ts';
import { stateText } from './runs.ts';

export function showCommand(wanted: string, options: { json?: boolean }): void {
  const folder = findRunFolder(runsFolder(), wanted);
  // By their real paths: the data folder may be a link.
  if (!existsSync(runsFolder()) || realpathSync(path.dirname(folder)) !== realpathSync(runsFolder()))
    throw new AppError(
      'run-not-in-history',
      `the run in ${folder} is not in the history: that holds the runs in ${runsFolder()}`,
      'Move it there, or look at it with: whetstone tail',
    );
  const id = path.basename(folder);
  const runFile = readRunFileOrNone(folder);
  const shown = withHistory((db) => {
    const record = db && findRun(db, id);
    if (!record)
      throw new AppError(
        'run-not-in-history',
        `run ${id} is not in the history, and another process is writing it`,
        'Try again in a moment.',
      );
    return {
      ...summarize(db, record),
      settings: record.settings,
      model: record.model,
      ranks: record.ranks,
      badRows: record.badRows,
      device: record.started?.device ?? null,
      trainer: record.started?.trainer ?? null,
      verified: runFile?.verified ?? null,
      evaluations: runEvaluations(db, record.run),
      checkpoints: runCheckpoints(db, record.run),
      warnings: runWarnings(db, record.run),
      log: runLog(db, record.run),
    };
  });
  if (options.json) {
    console.log(JSON.stringify(shown, null, 2));
    return;
  }
  const lines: [string, string][] = [
    ['run', `${shown.id} (${shown.name})`],
    ['state', stateText({ ...shown, evaluations: [] })],
    ['rows', `${shown.rows} of ${shown.totalRows}, steps ${shown.steps} of ${shown.totalSteps}`],
    ['model', `${shown.model.name}${shown.model.revision ? ` at ${shown.model.revision}` : ''}`],
    ['device', shown.device ? `${shown.device.kind} ${shown.device.name}` : ''],
    ['verified', verifiedText(shown.verified) ?? unverifiedText(runFile?.request)],
    ['folder', shown.folder],
    ['output', shown.output],
    ['settings', JSON.stringify(shown.settings)],
  ];
  if (shown.failure)
    lines.push(['failed', `${shown.failure.message}${shown.failure.hint ? ` (${shown.failure.hint})` : ''}`]);
  for (const { code, message } of shown.warnings) lines.push(['warning', `${code}: ${message}`]);
  for (const each of shown.evaluations)
    lines.push([
      each.set,
      `after ${each.rows} rows: ${each.mean?.toFixed(4) ?? 'nan'} +- ${each.stderr?.toFixed(4) ?? 'nan'} (n ${each.n})`,
    ]);
  for (const each of shown.checkpoints)
    lines.push([each.kind === 'adapter' ? 'checkpoint' : 'resume', `${each.name}: ${each.folder}`]);
  const width = Math.max(...lines.map(([label]) => label.length));
  for (const [label, text] of lines) if (text) console.log(`${label.padEnd(width)}  ${text}`);
  const last = shown.log.at(-1);
  if (last) console.log(JSON.stringify(last));
}
