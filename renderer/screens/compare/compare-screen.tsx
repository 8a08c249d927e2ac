/** Runs over each other: which setting wins, by how much, what else differs, and what may not be compared. */
import { memo, useMemo, useState, type ReactNode } from 'react';
import type { Metric, RunDetail, Series } from '../../../main/contract/window/runs.ts';
import { call } from '../../api/client.ts';
import { chartKeys, stopsOf } from '../../charts/chart-keys.ts';
import { ChartTools } from '../../charts/chart-tools.tsx';
import { useChartView } from '../../charts/chart-view.ts';
import { createCursor, type Cursor } from '../../charts/cursor.ts';
import { xDomain, type Domain } from '../../charts/domain.ts';
import { formatSlots, freeSlot, parseSlots, type Slot } from '../../charts/identity.ts';
import { bucketsFor, useSeries } from '../../charts/use-series.ts';
import { useStable } from '../../charts/use-stable.ts';
import { Button } from '../../components/button.tsx';
import { copyAndSay } from '../../components/copy-text.ts';
import { Empty } from '../../components/empty.tsx';
import { LinkTo } from '../../components/link-to.tsx';
import { Say } from '../../components/say.tsx';
import { Screen } from '../../components/screen.tsx';
import { Segmented } from '../../components/segmented.tsx';
import { Spinner } from '../../components/spinner.tsx';
import { formatCounted, formatLoss, formatMeasure } from '../../format/numbers.ts';
import { go, setQuery, useAddress } from '../../navigation/address.ts';
import { useKeys } from '../../navigation/keys.ts';
import { useRunRows, useRuns, isAtWork } from '../../stores/runs.ts';
import { useLive } from '../../stores/use-live.ts';
import { AddRun } from './add-run.tsx';
import { CompareList, type ComparedRun } from './compare-list.tsx';
import { CompareSettings } from './compare-settings.tsx';
import { HeldOutChart, type HeldOutRun } from './held-out-chart.tsx';
import { sharedSet } from './held-out.ts';
import { Overlay, type OverlayRun } from './overlay.tsx';
import styles from './compare.module.css';

/** As many as one request for curves may name. */
const most = 24;
type Second = 'kl' | 'grad';

/** Without props: what the shell renders for itself does not render it. */
export const CompareScreen = memo(function CompareScreen() {
  const { query } = useAddress();
  const all = useRunRows();
  const select = useRuns((state) => state.select);
  const slots = useMemo(() => parseSlots(query['runs'], query['hues']), [query]);
  const [adding, setAdding] = useState(false);
  const ids = [...slots.keys()].slice(0, most);
  const details = useLive<{ details: RunDetail[]; missing: string[] }>({
    key: ids.length === 0 ? null : ids.join(','),
    pull: async () => {
      const settled = await Promise.allSettled(ids.map((run) => call('runs.get', { run })));
      const found = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      const fault = settled.find((each) => each.status === 'rejected');
      // One run that is gone is said; none at all is a fault of the reading.
      if (found.length === 0 && fault) throw fault.reason;
      return { details: found, missing: ids.filter((_, i) => settled[i]?.status === 'rejected') };
    },
    runs: ids,
    every: 500,
  });
  const put = (next: ReadonlyMap<string, Slot>): void => {
    setQuery(formatSlots(next), { replace: false });
    select(next);
  };
  const add = (id: string): void => put(new Map([...slots, [id, freeSlot(slots.values())]]));
  const remove = (id: string): void => put(new Map([...slots].filter(([each]) => each !== id)));
  const dialog = adding && (
    <AddRun
      runs={all}
      taken={new Set(slots.keys())}
      onAdd={(id) => {
        add(id);
        setAdding(false);
      }}
      onClose={() => setAdding(false)}
    />
  );
  const addButton = (
    <Button
      keys="+"
      onPress={() => setAdding(true)}
      disabledReason={slots.size >= most ? `at most ${most} runs` : null}
    >
      Add run
    </Button>
  );
  if (ids.length === 0 || details.answer === null)
    return (
      <Screen title="Compare" head={addButton}>
        {ids.length === 0 ? (
          <Empty title="No runs to compare yet">
            Tick runs in <LinkTo to="/runs">the list of runs</LinkTo> and press C, or add one here.
          </Empty>
        ) : details.error !== null ? (
          <Empty title={details.error.message}>{details.error.hint}</Empty>
        ) : (
          <Spinner label="Reading the runs" />
        )}
        {dialog}
      </Screen>
    );
  return (
    <>
      <Comparison
        details={details.answer.details}
        missing={details.answer.missing}
        slots={slots}
        addButton={addButton}
        onAdd={() => setAdding(true)}
        onRemove={remove}
      />
      {dialog}
    </>
  );
});

interface ComparisonProps {
  details: readonly RunDetail[];
  missing: readonly string[];
  slots: ReadonlyMap<string, Slot>;
  addButton: ReactNode;
  onAdd: () => void;
  onRemove: (id: string) => void;
}

function Comparison({ details, missing, slots, addButton, onAdd, onRemove }: ComparisonProps) {
  const { query } = useAddress();
  const hidden = useStable((query['hidden'] ?? '').split(',').filter(Boolean));
  const second: Second = query['second'] === 'grad' ? 'grad' : 'kl';
  const here = useMemo(() => details.filter((detail) => slots.has(detail.id)), [details, slots]);
  const reference = here.some((detail) => detail.id === query['ref']) ? (query['ref'] ?? '') : (here[0]?.id ?? '');
  const [current, setCurrent] = useState<string | null>(null);
  const [equalToo, setEqualToo] = useState(false);
  const [cursor] = useState<Cursor>(() => createCursor());
  const [view, change] = useChartView(Math.max(0, ...here.map((detail) => detail.totalSteps)));
  const metrics: Metric[] = ['loss:ce', second === 'kl' ? 'loss:kl' : 'grad_norm', 'lr'];
  const series = useSeries(
    here.map((detail) => detail.id),
    metrics,
    view,
    bucketsFor(globalThis.innerWidth / 2.6),
  );
  const curves = series.answer?.series;
  const shown = useMemo(() => here.filter((detail) => !hidden.includes(detail.id)), [here, hidden]);
  const ce = useMemo(() => overlayOf('loss:ce', curves, shown, slots, current), [curves, shown, slots, current]);
  const other = useMemo(
    () => overlayOf(second === 'kl' ? 'loss:kl' : 'grad_norm', curves, shown, slots, current),
    [curves, shown, slots, current, second],
  );
  const measured = useMemo(() => other.filter((run) => run.curve.steps > 0), [other]);
  const unmeasured = other.filter((run) => run.curve.steps === 0);
  const ends =
    series.answer?.ends.filter((each) => shown.some((detail) => detail.id === each.run)).map((each) => each.x) ?? [];
  const x = useStable<Domain>(
    xDomain({ from: view.from, to: view.to, end: Math.max(0, ...ends), next: null, live: here.some(isAtWork) }),
  );
  const set = sharedSet(here, reference);
  const heldOut: HeldOutRun[] = shown.map((detail) => ({
    detail,
    slot: slots.get(detail.id) ?? 0,
    highlighted: detail.id === current,
    curve: curves?.find((each) => each.run === detail.id && each.metric === 'lr') ?? null,
  }));
  const hide = (id: string): void =>
    setQuery({
      hidden: (hidden.includes(id) ? hidden.filter((each) => each !== id) : [...hidden, id]).join(',') || undefined,
    });
  const refer = (id: string): void => setQuery({ ref: id });
  const at = here.findIndex((detail) => detail.id === current);
  const move = (by: number) => (): void =>
    setCurrent(here[Math.min(here.length - 1, Math.max(0, at + by))]?.id ?? null);

  useKeys('Compare', [
    ...here.slice(0, 8).map((detail, i) => ({
      keys: String(i + 1),
      ...(i === 0 ? { shown: ['1', '…', String(Math.min(8, here.length))] } : {}),
      label: i === 0 ? 'show, hide a run' : `show or hide ${detail.name}`,
      run: () => hide(detail.id),
      minor: i > 0,
    })),
    { keys: '0', label: 'make reference', run: () => current !== null && refer(current), disabled: current === null },
    { keys: 'J', label: 'next run', run: move(1), minor: true },
    { keys: 'K', label: 'run before', run: move(-1), minor: true },
    ...chartKeys({
      cursor,
      stops: stopsOf(ce.map((run) => run.curve)),
      view,
      change,
    }),
    { keys: 'I', label: 'equal settings too', run: () => setEqualToo(!equalToo) },
    { keys: '+', label: 'add a run', run: onAdd, minor: true },
    { keys: '.', label: 'copy link', run: () => void copyAndSay(location.href, 'the link'), minor: true },
    {
      keys: 'Escape',
      label: 'drop the cursor, or back to all runs',
      minor: true,
      run: () => (cursor.get() === null ? go('/runs') : cursor.set(null)),
    },
  ]);

  const compared: ComparedRun[] = here.map((detail) => ({
    detail,
    slot: slots.get(detail.id) ?? 0,
    hidden: hidden.includes(detail.id),
  }));
  const models = [...new Set(here.map((detail) => detail.modelName))];
  const reading = series.answer !== null && !series.current;
  const fault = series.error !== null && series.answer === null ? series.error.message : null;
  const words = (runs: readonly OverlayRun[]): string | null =>
    fault ??
    (series.answer === null
      ? 'Reading the curves'
      : runs.every((run) => run.curve.x.length === 0)
        ? 'No step with a value in this range.'
        : null);
  const emaWords = view.ema === 0 ? 'single steps' : `EMA ${view.ema}`;
  const charts = { x, view, change, cursor, dim: reading, onHighlight: setCurrent };
  return (
    <Screen
      title="Compare"
      className={styles.body}
      head={
        <>
          <span className="small second ellipsis">
            {formatCounted(here.length, 'run')}, {[...new Set(here.map((detail) => detail.recipe))].join(', ')},{' '}
            {models.join(', ')}
          </span>
          {addButton}
          <span className="grow" />
          <Button keys="." onPress={() => void copyAndSay(location.href, 'the link')}>
            Copy link
          </Button>
        </>
      }
    >
      <div className={`scroll ${styles.side ?? ''}`}>
        {missing.length > 0 && (
          <div className={styles.says}>
            {missing.map((id) => (
              <Say key={id} kind="warning" title={`${id} is not there any more.`}>
                <Button kind="text" small onPress={() => onRemove(id)}>
                  Take it out
                </Button>
              </Say>
            ))}
          </div>
        )}
        <CompareList
          runs={compared}
          set={set}
          reference={reference}
          current={current}
          onCurrent={setCurrent}
          onHide={hide}
          onReference={refer}
          onRemove={onRemove}
        />
        <CompareSettings runs={compared} reference={reference} all={equalToo} onAll={setEqualToo} />
      </div>
      <div className={styles.right}>
        <div className={styles.tools}>
          <ChartTools view={view} change={change}>
            <Segmented<Second>
              label="Chart under CE"
              options={[
                { value: 'kl', label: 'KL' },
                { value: 'grad', label: 'grad-norm' },
              ]}
              value={second}
              onChange={(value) => setQuery({ second: value === 'kl' ? undefined : value })}
            />
          </ChartTools>
        </div>
        <div className={styles.charts}>
          <Overlay
            {...charts}
            title="CE"
            note={`nats/token, training, mean of row means, ${emaWords}`}
            runs={ce}
            zero={false}
            format={formatLoss}
            message={words(ce)}
          />
          <HeldOutChart runs={heldOut} set={set} x={x} view={view} />
          <Overlay
            {...charts}
            title={second === 'kl' ? 'KL' : 'grad-norm'}
            note={
              second === 'kl'
                ? `nats/token, before β, ${emaWords}${unmeasured.length > 0 && measured.length > 0 ? `; without anchor rows: ${unmeasured.map((run) => run.name).join(', ')}` : ''}`
                : `L2, before clipping, ${emaWords}`
            }
            runs={measured}
            zero
            format={second === 'kl' ? formatLoss : formatMeasure}
            message={
              series.answer !== null && measured.length === 0 && second === 'kl'
                ? 'None of these runs has anchor rows.'
                : words(measured)
            }
          />
        </div>
      </div>
    </Screen>
  );
}

function overlayOf(
  metric: Metric,
  curves: readonly Series[] | undefined,
  shown: readonly RunDetail[],
  slots: ReadonlyMap<string, Slot>,
  current: string | null,
): OverlayRun[] {
  return shown.flatMap((detail) => {
    const curve = curves?.find((each) => each.run === detail.id && each.metric === metric);
    const slot = slots.get(detail.id) ?? 0;
    return curve ? [{ id: detail.id, name: detail.name, slot, highlighted: detail.id === current, curve }] : [];
  });
}
