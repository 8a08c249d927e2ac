/** The traces of a run: CE, KL, grad-norm, lr and rows/s over one x axis, with what was saved and scored at its place. */
import { useMemo, useRef, type ReactNode } from 'react';
import type { Metric, RunDetail, Series, SeriesAnswer, SeriesBuckets } from '../../../main/contract/window/runs.ts';
import { XLabels } from '../../charts/axis-labels.tsx';
import { ChartArea } from '../../charts/chart-area.tsx';
import { stopsOf } from '../../charts/chart-keys.ts';
import type { ChartView } from '../../charts/chart-view.ts';
import type { Cursor } from '../../charts/cursor.ts';
import { xDomain, type Domain } from '../../charts/domain.ts';
import type { PointMark } from '../../charts/paint.ts';
import { Fact, PlotWords, Trace, type TraceMarks } from '../../charts/trace.tsx';
import { useSize } from '../../charts/use-size.ts';
import { useStable } from '../../charts/use-stable.ts';
import { xAxis } from '../../charts/x-axis.ts';
import { formatCount, formatError, formatLoss, formatLr, formatMeasure } from '../../format/numbers.ts';
import { formatDuration } from '../../format/times.ts';
import type { Live } from '../../stores/use-live.ts';
import { isAtWork } from '../../stores/runs.ts';
import { epochPlaces, RunLane } from './run-lane.tsx';
import { placeOn, replacedRanges, savedMarks } from './run-marks.ts';
import { phaseWords } from './run-progress.tsx';
import styles from './run.module.css';

export interface RunChartsProps {
  run: RunDetail;
  /** The run's lines are as of now (the main process can be reached). */
  current: boolean;
  view: ChartView;
  change: (change: Partial<ChartView>, options?: { push?: boolean }) => void;
  series: Live<SeriesAnswer>;
  cursor: Cursor;
  checkpoint: string | null;
  onCheckpoint: (name: string) => void;
}

/** Curves that the page asks for, in one request. */
export const runMetrics = (run: Pick<RunDetail, 'roles'>): Metric[] => [
  ...run.roles.map((role): Metric => `loss:${role}`),
  'grad_norm',
  'lr',
  'rows_per_s',
];

const titles: Readonly<Record<string, string>> = { ce: 'CE', kl: 'KL' };
export const roleTitle = (role: string): string => titles[role] ?? role;
/** The role whose curve leads: the first that is not a divergence from the base model. */
export const leadRole = (run: Pick<RunDetail, 'roles'>): string =>
  run.roles.find((role) => role !== 'kl') ?? run.roles[0] ?? 'ce';

const noPoints: readonly PointMark[] = [];
const noLevels: readonly number[] = [];

export function RunCharts(props: RunChartsProps) {
  const { run, current, view, change, series, cursor, checkpoint, onCheckpoint } = props;
  const box = useRef<HTMLDivElement>(null);
  const { width: whole } = useSize(box);
  const width = Math.max(1, whole - 46 - 138);
  const find = (metric: Metric): Series | null => series.answer?.series.find((each) => each.metric === metric) ?? null;
  const lead = find(`loss:${leadRole(run)}`);
  const lr = find('lr');
  // Every step has a learning rate, not every step a row of each role.
  const clock = lr && lr.x.length > 0 ? lr : lead;
  const end = series.answer?.ends.find((each) => each.run === run.id)?.x ?? 0;
  const atWork = isAtWork(run);
  const next = view.x === 'rows' ? (run.planned.find((each) => each.rows > run.rows)?.rows ?? null) : null;
  const x = useStable<Domain>(
    xDomain({
      from: view.from,
      to: view.to,
      end: Math.max(end, 0),
      next: end > 0 ? next : run.totalRows,
      live: atWork,
    }),
  );
  const stops = stopsOf([lead, lr]);
  const axis = useMemo(() => xAxis(view.x, x, Math.max(2, Math.floor(width / 95))), [view.x, x, width]);
  const silent = !current || (run.elsewhere && atWork && (run.lastHeardSeconds ?? 0) > 60);
  const marks = useStable<TraceMarks>({
    epochs: epochPlaces(run, view.x, clock),
    saved: savedMarks(run, view.x, clock, 0).map((mark) => mark.x),
    replaced: replacedRanges(lead?.replaced.length ? lead : clock),
    unheard: silent && atWork && end > 0 ? end : null,
    failedAt: run.state === 'failed' && end > 0 ? end : null,
  });
  const held = run.evaluations.filter((each) => each.set === run.evaluations[0]?.set);
  const newest = held.at(-1);
  const points = useStable<readonly PointMark[]>(
    held.flatMap((each) => {
      const at = placeOn(view.x, clock, each);
      // Another row set is another scale: only points of the newest set are drawn.
      return at === null || each.mean === null || each.hash !== newest?.hash
        ? []
        : [{ x: at, y: each.mean, error: 2 * (each.stderr ?? 0) }];
    }),
  );
  const clipLevels = useStable<readonly number[]>(run.clipNorm === null ? noLevels : [run.clipNorm]);
  const reading = series.answer !== null && !series.current;
  const dim = reading || run.folderGone || silent;
  const message = (curve: Series | null, lone: boolean): ReactNode => {
    if (series.error !== null && series.answer === null)
      return <PlotWords bad lines={[series.error.message, series.error.hint]} />;
    if (series.answer === null) return <PlotWords lines={['Reading the curves']} />;
    if (curve !== null && curve.x.length > 0) return undefined;
    if (end === 0) return lone ? <BeforeFirstStep run={run} /> : <PlotWords lines={['–']} />;
    if (view.from !== null || view.to !== null) return <PlotWords lines={['no step with a value in this range']} />;
    return undefined;
  };
  const shared = { x, marks, cursor, log: view.log, clip: view.clip, dim, old: silent, reach: (x[1] - x[0]) / 150 };
  const emaWords = view.ema === 0 ? 'single steps' : `EMA ${view.ema}`;
  return (
    <div ref={box} className={styles.charts}>
      <ChartArea
        x={x}
        cursor={cursor}
        stops={stops}
        say={(at) => stepWords(clock, at)}
        onZoom={(from, to) => change({ from, to }, { push: true })}
        onReset={() => change({ from: null, to: null }, { push: true })}
      >
        <RunLane
          run={run}
          x={x}
          kind={view.x}
          curve={clock}
          replaced={marks.replaced}
          end={end}
          cursor={cursor}
          width={width}
          chosen={checkpoint}
          onChoose={onCheckpoint}
        />
        {run.roles.map((role) => {
          const curve = find(`loss:${role}`);
          const isLead = role === leadRole(run);
          const unmeasured = curve !== null && curve.steps === 0 && end > 0 && view.from === null && view.to === null;
          return (
            <Trace
              key={role}
              {...shared}
              name={roleTitle(role)}
              unit="nats/token"
              flex={isLead ? 30 : 14}
              curve={curve}
              format={formatLoss}
              zero={!isLead}
              points={isLead ? points : noPoints}
              caption={
                isLead
                  ? `line ${emaWords} · band min to max of the bucket${points.length > 0 ? ` · □ ${heldOutWords(newest?.set)}, bar 95 %` : ''}`
                  : role === 'kl'
                    ? 'before β'
                    : `line ${emaWords}`
              }
              captionSide={isLead ? 'right' : 'left'}
              message={
                unmeasured ? (
                  <PlotWords lines={role === 'kl' ? klWords(run) : [`No row of the role ${role} so far.`]} />
                ) : (
                  message(curve, isLead)
                )
              }
              facts={
                <>
                  {isLead && <Fact>{emaWords}, row means</Fact>}
                  {isLead && newest && (
                    <Fact>
                      held-out <b>{formatLoss(newest.mean)}</b> {formatError(newest.stderr)}
                    </Fact>
                  )}
                  {isLead && reading && <Fact>reading finer points</Fact>}
                  {isLead && series.error !== null && series.answer !== null && (
                    <Fact>not read: {series.error.message}</Fact>
                  )}
                  {isLead && run.folderGone && <Fact>from the history</Fact>}
                </>
              }
              {...(isLead
                ? {
                    cursorLabel: (at: SeriesBuckets, index: number) =>
                      `step ${formatCount((at.step[index] ?? 0) + 1)}: ${formatLoss(at.last[index])}`,
                  }
                : {})}
            />
          );
        })}
        <Trace
          {...shared}
          name="grad-norm"
          unit="L2"
          flex={12}
          curve={find('grad_norm')}
          format={formatMeasure}
          zero
          levels={clipLevels}
          caption={run.clipNorm === null ? 'not clipped' : `before clipping · - - clip ${run.clipNorm}`}
          captionSide="right"
          message={message(find('grad_norm'), false)}
        />
        <Trace
          {...shared}
          name="lr"
          unit=""
          flex={8}
          curve={lr}
          format={formatLr}
          zero
          plain
          small
          message={message(lr, false)}
        />
        <Trace
          {...shared}
          name="rows/s"
          unit={
            run.trainer === null ? '' : run.trainer.ranks > 1 ? `${run.trainer.ranks} ranks` : (run.device?.kind ?? '')
          }
          flex={8}
          curve={find('rows_per_s')}
          format={formatMeasure}
          zero
          small
          message={message(find('rows_per_s'), false)}
        />
        <XLabels domain={x} ticks={axis.ticks} labels={axis.labels} unit={axis.unit} />
      </ChartArea>
    </div>
  );
}

const heldOutWords = (set: string | undefined): string =>
  set === undefined || /held.?out/i.test(set) ? 'held-out' : `held-out ${set}`;

function klWords(run: RunDetail): string[] {
  const beta = run.settings.find((setting) => setting.name === 'beta' || setting.flag === '--beta')?.value;
  if (beta !== undefined && Number(beta) === 0) return ['No anchor rows: beta is 0.'];
  return [isAtWork(run) ? 'No anchor row so far.' : 'No anchor row was trained.'];
}

function stepWords(curve: Series | null, x: number): string {
  if (curve === null || curve.x.length === 0) return 'no step';
  let index = 0;
  while (index < curve.x.length - 1 && (curve.x[index] ?? 0) < x) index++;
  return `step ${formatCount((curve.step[index] ?? 0) + 1)}`;
}

/** What is awaited, or why nothing will come. */
function BeforeFirstStep({ run }: { run: RunDetail }) {
  if (!isAtWork(run))
    return <PlotWords lines={[`No step was done: ${run.failure?.message ?? `the run is ${run.state}`}`]} />;
  const phase = phaseWords(run.phase);
  const doing =
    phase === null ? 'The trainer has not said anything yet' : `${phase.charAt(0).toUpperCase()}${phase.slice(1)}`;
  const since = run.lastHeardSeconds === null ? '' : `, ${formatDuration(run.lastHeardSeconds)}`;
  return <PlotWords lines={[`${doing}${since}.`, 'The first point comes after step 1.']} />;
}
