/** Requests about runs. What they answer comes from the history, which the keeper has up to date. */
import { setImmediate as tick } from 'node:timers/promises';
import { AppError } from '../../contract/errors.ts';
import type { Handlers } from '../../contract/window/requests.ts';
import type { Series } from '../../contract/window/runs.ts';
import { findRun, type RunRecord } from '../../store/runs.ts';
import type { ReadDb } from '../../store/database.ts';
import { logFile } from '../../trainer/run-folder.ts';
import type { Part } from '../part.ts';
import type { PartContext } from '../services.ts';
import { changePerson, resumeFromWindow, stopFromWindow } from './run-actions.ts';
import { ColumnsCache, type RunColumns } from './run-columns.ts';
import { makeRunDetail } from './run-detail.ts';
import { readLogPart } from './run-log.ts';
import { RunRows } from './run-rows.ts';
import { seriesOf } from './series.ts';

/** Steps from which on curves are made one a turn of the loop. */
const longRun = 10_000;

const seconds = (): number => Date.now() / 1000;

function recordOf(db: ReadDb, id: string): RunRecord {
  const record = findRun(db, id);
  if (!record) throw new Error(`run ${id} is followed and not in the history`);
  return record;
}

export function runsPart(context: PartContext): Part<'runs'> {
  const { keeper, environment } = context;
  const { plans } = keeper;
  const rows = new RunRows();
  const columns = new ColumnsCache();
  keeper.onOpened(() => {
    rows.clear();
    columns.clear();
  });

  const handlers: Pick<Handlers, Extract<keyof Handlers, `runs.${string}`>> = {
    async 'runs.list'({ only }) {
      const db = await keeper.history();
      const wanted = only && new Set(only);
      const runs = keeper.runs().filter(({ id }) => wanted?.has(id) ?? true);
      return { runs: rows.rows(db, runs, seconds()), faults: keeper.faults() };
    },

    async 'runs.get'({ run: id }) {
      const before = await keeper.history();
      const run = keeper.run(id);
      const { terminal } = recordOf(before, id);
      const facts = run.gone
        ? undefined
        : await plans.facts(run.folder, terminal?.kind === 'failed' ? terminal.visits : []);
      const read = await columns.of(before, recordOf(before, id));
      // All that follows is of one moment.
      const db = await keeper.history();
      const record = recordOf(db, id);
      return makeRunDetail(db, {
        ...{ record, facts, environment, asked: run.request, verified: run.verified },
        row: rows.row(db, run, seconds()),
        columns: read,
      });
    },

    async 'runs.series'({ runs, metrics, ...wish }) {
      const db = await keeper.history();
      const known = new Set(keeper.runs().map(({ id }) => id));
      // A view may name a run that is no more: it has no curves, and the others have theirs.
      const wanted = [...new Set(runs)].filter((id) => known.has(id));
      const all: { id: string; of: RunColumns }[] = [];
      for (const id of wanted) all.push({ id, of: await columns.of(db, recordOf(db, id)) });
      // Before the curves, which may be a step longer by the time that they are made.
      const ends = all.map(({ id, of }) => ({ run: id, x: of.kept.axis(wish.x).at(-1) ?? 0 }));
      const series: Series[] = [];
      for (const { id, of } of all)
        for (const metric of metrics) {
          series.push(seriesOf(id, of, metric, wish));
          // Of a long run one curve takes as long as can be waited for.
          if (of.kept.length > longRun) await tick();
        }
      return { series, ends };
    },

    async 'runs.log'({ run: id, before, bytes }) {
      await keeper.history();
      const run = keeper.run(id);
      if (run.gone)
        throw new AppError(
          'run-folder-gone',
          `the folder of run ${id} is gone, and its log with it: ${run.folder}`,
          'Put the folder back where it was; the history keeps curves and figures, not logs.',
        );
      return readLogPart(logFile(run.folder), before, bytes);
    },

    async 'runs.rename'({ run, name }) {
      await changePerson(keeper, run, { name });
      return null;
    },

    async 'runs.note'({ run, note }) {
      await changePerson(keeper, run, { note });
      return null;
    },

    async 'runs.stop'({ run, kill }) {
      await stopFromWindow(keeper, run, kill);
      return null;
    },

    'runs.resume': ({ run }) => resumeFromWindow(context, run),
  };
  return { handlers };
}
