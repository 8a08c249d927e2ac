/** A run's page: is it healthy, where is it, when does it end, which checkpoint is best. */
import { memo, useEffect, useRef, useState } from 'react';
import type { RunDetail, SeriesAnswer } from '../../../main/contract/window/runs.ts';
import { call, type CallError } from '../../api/client.ts';
import { useConnection } from '../../api/connection.ts';
import { chartKeys, stopsOf } from '../../charts/chart-keys.ts';
import { ChartTools } from '../../charts/chart-tools.tsx';
import { useChartView } from '../../charts/chart-view.ts';
import { createCursor, nearestBucket, xOfStep, type Cursor } from '../../charts/cursor.ts';
import { yDomain } from '../../charts/domain.ts';
import { spikesOver, type Spike } from '../../charts/spikes.ts';
import { bucketsFor, useSeries } from '../../charts/use-series.ts';
import { Empty } from '../../components/empty.tsx';
import { LinkTo } from '../../components/link-to.tsx';
import { Screen } from '../../components/screen.tsx';
import { Spinner } from '../../components/spinner.tsx';
import { formatAddress, go, setQuery, useAddress } from '../../navigation/address.ts';
import { useKeys } from '../../navigation/keys.ts';
import { useLive, type Live } from '../../stores/use-live.ts';
import { cloneRun, resumeRun, StopDialog, whyNotResume, whyNotStop } from '../runs/run-actions.tsx';
import { LogDialog } from './log-dialog.tsx';
import { leadRole, RunCharts, runMetrics } from './run-charts.tsx';
import { RunHead } from './run-head.tsx';
import { RunProgress } from './run-progress.tsx';
import { SideCheckpoints } from './side-checkpoints.tsx';
import { endedEarly, showsLog, SideFailure } from './side-failure.tsx';
import { LogTail } from './side-log.tsx';
import { SideCommand, SideSettings, SideWarnings } from './side-settings.tsx';
import styles from './run.module.css';

/** Without props: what the shell renders for itself does not render it. */
export const RunScreen = memo(function RunScreen() {
  const id = useAddress().path[1] ?? '';
  const detail = useLive<RunDetail>({ key: id, pull: () => call('runs.get', { run: id }), runs: [id] });
  if (detail.answer !== null && detail.current) return <RunPage key={id} run={detail.answer} />;
  return (
    <Screen windowTitle="Run" head={<h1 tabIndex={-1}>Run</h1>}>
      {detail.error === null ? <Spinner label="Reading the run" /> : <Unreadable id={id} error={detail.error} />}
    </Screen>
  );
});

function Unreadable({ id, error }: { id: string; error: CallError }) {
  return (
    <Empty title={error.message}>
      <p>
        {error.hint} <span className="mono-small third">{id}</span>
      </p>
      <p>
        <LinkTo to="/runs">All runs</LinkTo>
      </p>
    </Empty>
  );
}

function RunPage({ run }: { run: RunDetail }) {
  const [view, change] = useChartView(run.totalSteps);
  const [stopping, setStopping] = useState(false);
  const log = useAddress().query['open'] === 'log';
  const setLog = (open: boolean): void => setQuery({ open: open ? 'log' : undefined }, { replace: !open });
  const [checkpoint, setCheckpoint] = useState<string | null>(null);
  const [cursor] = useState<Cursor>(() => createCursor());
  const connected = useConnection((connection) => connection.state !== 'lost' && connection.state !== 'refused');
  const [points, setPoints] = useState(() => bucketsFor(globalThis.innerWidth - 624));
  useEffect(() => {
    const read = (): void => setPoints(bucketsFor(globalThis.innerWidth - 624));
    addEventListener('resize', read);
    return () => removeEventListener('resize', read);
  }, []);
  const series = useSeries([run.id], runMetrics(run), view, points);
  useCursorInAddress(cursor, series, view.at);

  const curves = series.answer?.series ?? [];
  const lead = curves.find((each) => each.metric === `loss:${leadRole(run)}`);
  const stops = stopsOf([lead, curves.find((each) => each.metric === 'lr')]);
  const spikes = (): Spike[] => {
    if (!lead || lead.x.length === 0) return [];
    const x = [view.from ?? 0, view.to ?? lead.x[lead.x.length - 1] ?? 0] as const;
    const y = yDomain([lead], { clip: true, log: view.log, band: true, zero: false, from: x[0], to: x[1] });
    return y === null ? [] : spikesOver(lead, x, y[1], (x[1] - x[0]) / 60);
  };
  useKeys('Run', [
    ...chartKeys({ cursor, stops, view, change, spikes }),
    { keys: 'L', label: 'log', run: () => setLog(true) },
    { keys: 'S', label: 'stop', run: () => setStopping(true), disabled: whyNotStop(run, connected) !== null },
    { keys: 'R', label: 'resume', run: () => void resumeRun(run.id), disabled: whyNotResume(run, connected) !== null },
    { keys: 'D', label: 'clone', run: () => cloneRun(run.id), minor: true },
    { keys: 'C', label: 'compare', run: () => go(formatAddress(['compare'], { runs: run.id })), minor: true },
    {
      keys: 'Escape',
      label: 'drop the cursor, or back to all runs',
      minor: true,
      run: () => {
        if (cursor.get() === null) go('/runs');
        else cursor.set(null);
      },
    },
  ]);

  const early = endedEarly(run);
  return (
    <Screen
      windowTitle={run.name}
      head={<RunHead run={run} onStop={() => setStopping(true)} />}
      under={<RunProgress run={run} current={connected} />}
      className={styles.body}
    >
      <div className={styles.left}>
        <div className={styles.tools}>
          <ChartTools view={view} change={change} />
        </div>
        <RunCharts
          run={run}
          current={connected}
          view={view}
          change={change}
          series={series}
          cursor={cursor}
          checkpoint={checkpoint}
          onCheckpoint={setCheckpoint}
        />
      </div>
      <aside className={styles.side} aria-label="About this run">
        {early && <SideFailure run={run} onLog={() => setLog(true)} />}
        <SideWarnings run={run} />
        <SideCheckpoints run={run} chosen={checkpoint} onChoose={setCheckpoint} />
        <SideSettings run={run} />
        <SideCommand run={run} />
        {!showsLog(run) && <LogTail run={run} onLog={() => setLog(true)} />}
      </aside>
      {stopping && <StopDialog run={run} onClose={() => setStopping(false)} />}
      {log && <LogDialog run={run.id} name={run.name} onClose={() => setLog(false)} />}
    </Screen>
  );
}

/** The cursor's step goes into the address a moment after it came to rest, and comes from there once when the curves are first there. */
function useCursorInAddress(cursor: Cursor, series: Live<SeriesAnswer>, at: number | null): void {
  const placed = useRef(false);
  const clock = series.answer?.series.find((each) => each.metric === 'lr');
  const newest = useRef(clock);
  useEffect(() => {
    newest.current = clock;
    if (placed.current || !clock || clock.x.length === 0) return;
    placed.current = true;
    if (at !== null) cursor.set(xOfStep(clock, at - 1));
  });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = cursor.subscribe(() => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        const x = cursor.get();
        const curve = newest.current;
        const index = x === null || !curve ? -1 : nearestBucket(curve.x, x);
        setQuery({ at: index < 0 || !curve ? undefined : String((curve.step[index] ?? 0) + 1) });
      }, 400);
    });
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [cursor]);
}
