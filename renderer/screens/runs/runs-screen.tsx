/** All runs: what runs, what failed and why, which is best on equal rows. */
import { memo, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Checkbox } from '../../components/checkbox.tsx';
import { classes } from '../../components/classes.ts';
import { Empty } from '../../components/empty.tsx';
import { Kbd } from '../../components/kbd.tsx';
import { Say } from '../../components/say.tsx';
import { Screen } from '../../components/screen.tsx';
import { Spinner } from '../../components/spinner.tsx';
import { TextInput } from '../../components/text-input.tsx';
import { formatSlots, freeSlot } from '../../charts/identity.ts';
import { formatCount, formatCounted } from '../../format/numbers.ts';
import { nowSeconds } from '../../format/times.ts';
import { formatAddress, go, setQuery, useAddress } from '../../navigation/address.ts';
import { useKeys } from '../../navigation/keys.ts';
import { useRunRows, useRuns } from '../../stores/runs.ts';
import { cloneRun, resumeRun, runAddress, StopDialog, useConnected, whyNotResume, whyNotStop } from './run-actions.tsx';
import { formatSort, matches, parseSort, sortRuns, type Column, type Sort } from './run-table.ts';
import { RunLine } from './run-row.tsx';
import styles from './runs.module.css';

const heads: readonly {
  by: Column | null;
  title: string;
  number?: boolean;
  className?: string | undefined;
  note?: string;
}[] = [
  { by: 'state', title: 'State' },
  { by: 'name', title: 'Name, note' },
  { by: 'recipe', title: 'Recipe' },
  { by: 'model', title: 'Model', className: styles.model },
  { by: 'progress', title: 'Progress' },
  { by: 'ce', title: 'CE last', number: true, note: 'mean of row means since the log record before' },
  { by: 'kl', title: 'KL last', number: true, note: 'before beta' },
  {
    by: 'heldOut',
    title: 'Held-out CE ±SE',
    number: true,
    note: 'of the newest checkpoint; equal only where n and set are',
  },
  { by: null, title: 'rows, set' },
  { by: null, title: 'CE curve' },
  { by: 'started', title: 'Started' },
  { by: 'duration', title: 'Duration', number: true },
];

/** Without props: what the shell renders for itself does not render it. */
export const RunsScreen = memo(function RunsScreen() {
  const runs = useRunRows();
  const { faults, readAt, error, selected, toggle, select } = useRuns();
  const { query } = useAddress();
  const filter = query['filter'] ?? '';
  const wished = useDeferredValue(filter);
  const sort = parseSort(query['sort']);
  const shown = useMemo(
    () =>
      sortRuns(
        runs.filter((run) => matches(run, wished)),
        { by: sort.by, descending: sort.descending },
      ),
    [runs, wished, sort.by, sort.descending],
  );
  const connected = useConnected();
  const now = useMinute();
  const field = useRef<HTMLInputElement>(null);
  const table = useRef<HTMLDivElement>(null);
  const [currentId, setCurrent] = useState<string | null>(null);
  useEffect(() => {
    if (currentId !== null)
      table.current?.querySelector(`[data-run="${CSS.escape(currentId)}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [currentId]);
  const [renaming, setRenaming] = useState<string | null>(null);
  const [stopping, setStopping] = useState<string | null>(null);
  const at = shown.findIndex((run) => run.id === currentId);
  const current = shown[at];
  const stopped = runs.find((run) => run.id === stopping);
  const ticked = runs.filter((run) => selected.has(run.id));

  const onTick = useCallback((id: string) => toggle(id), [toggle]);
  const onCurrent = useCallback((id: string) => setCurrent(id), []);
  const move = (by: number) => (): void => {
    const next = shown[at < 0 ? 0 : Math.min(shown.length - 1, Math.max(0, at + by))];
    if (!next) return;
    setCurrent(next.id);
  };
  const compare = (): void => {
    // Only what still is there: a ticked run may have been deleted meanwhile.
    const slots = new Map([...selected].filter(([id]) => runs.some((run) => run.id === id)));
    if (slots.size === 0 && current) slots.set(current.id, 0);
    if (slots.size > 0) go(formatAddress(['compare'], formatSlots(slots)));
  };
  const none = current === undefined;
  useKeys('Runs', [
    { keys: 'J', shown: ['J', 'K'], label: 'move', run: move(1) },
    { keys: 'K', label: 'the one above', run: move(-1), minor: true },
    { keys: 'ArrowDown', label: 'the one below', run: move(1), minor: true },
    { keys: 'ArrowUp', label: 'the one above', run: move(-1), minor: true },
    { keys: 'Enter', label: 'open', run: () => current && go(runAddress(current.id)), disabled: none },
    { keys: 'X', label: 'tick', run: () => current && toggle(current.id), disabled: none },
    { keys: 'C', label: 'compare ticked', run: compare, disabled: ticked.length === 0 && none },
    { keys: 'D', label: 'clone', run: () => current && cloneRun(current.id), disabled: none },
    {
      keys: 'R',
      label: 'resume',
      run: () => current && void resumeRun(current.id),
      disabled: none || whyNotResume(current, connected) !== null,
    },
    {
      keys: 'S',
      label: 'stop',
      run: () => current && setStopping(current.id),
      disabled: none || whyNotStop(current, connected) !== null,
    },
    { keys: 'F2', label: 'rename', run: () => current && setRenaming(current.id), disabled: none, minor: true },
    { keys: '/', label: 'filter', run: () => field.current?.focus() },
  ]);

  const setFilter = (text: string): void => setQuery({ filter: text === '' ? undefined : text });
  const sortBy = (by: Column): void => {
    const words: Column[] = ['state', 'name', 'recipe', 'model', 'ce', 'kl', 'heldOut'];
    const next: Sort = sort.by === by ? { by, descending: !sort.descending } : { by, descending: !words.includes(by) };
    setQuery({ sort: formatSort(next) });
  };
  const allTicked = shown.length > 0 && shown.every((run) => selected.has(run.id));
  const tickAll = (): void => {
    const next = new Map(selected);
    for (const run of shown)
      if (allTicked) next.delete(run.id);
      else if (!next.has(run.id)) next.set(run.id, freeSlot(next.values()));
    select(next);
  };
  return (
    <Screen
      windowTitle="Runs"
      className={styles.body}
      head={
        <>
          <h1 className="unseen" tabIndex={-1}>
            Runs
          </h1>
          <TextInput
            ref={field}
            label="Filter runs by name, note, state, model or recipe"
            type="search"
            placeholder="Filter: name, note, state, model, recipe"
            width={290}
            value={filter}
            onChange={setFilter}
            onKeyDown={(event) => {
              if (event.key !== 'Escape') return;
              event.preventDefault();
              if (filter !== '') setFilter('');
              else field.current?.blur();
            }}
            suffix={<Kbd keys="/" />}
          />
          <span className="grow" />
          {ticked.length > 0 && (
            <>
              <span className="second">{formatCount(ticked.length)} ticked</span>
              <Button kind="text" small onPress={() => select(new Map())}>
                Untick all
              </Button>
            </>
          )}
          <Button
            keys="C"
            small
            onPress={compare}
            disabledReason={ticked.length === 0 && none ? 'tick the runs to compare' : null}
          >
            {ticked.length > 0 ? `Compare ${ticked.length}` : 'Compare'}
          </Button>
          <span className="third" role="status">
            {shown.length === runs.length
              ? formatCounted(runs.length, 'run')
              : `${formatCount(shown.length)} of ${formatCounted(runs.length, 'run')}`}
          </span>
        </>
      }
    >
      <div ref={table} className={classes('scroll', styles.scroll)}>
        {error !== null && error.code !== 'disconnected' && (
          <div className={styles.said}>
            <Say kind="bad" title={`The list could not be read: ${error.message}`} live>
              {error.hint}
            </Say>
          </div>
        )}
        {faults.map((fault) => (
          <div key={fault.folder} className={styles.said}>
            <Say kind="warning" title="A run folder could not be taken in.">
              <span className="mono-small">{fault.folder}</span>: {fault.message}
            </Say>
          </div>
        ))}
        {readAt === null ? (
          error === null && <Spinner label="Reading the history" />
        ) : (
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">
                  <Checkbox
                    checked={allTicked}
                    indeterminate={!allTicked && shown.some((run) => selected.has(run.id))}
                    label="Tick all that are shown"
                    hideLabel
                    onChange={tickAll}
                  />
                </th>
                {heads.map(({ by, title, number, className, note }) => (
                  <th
                    key={title}
                    scope="col"
                    className={classes(number && 'number', className)}
                    title={note}
                    aria-sort={by === sort.by ? (sort.descending ? 'descending' : 'ascending') : undefined}
                  >
                    {by === null ? (
                      title
                    ) : (
                      <button
                        type="button"
                        className={classes(styles.sort, by === sort.by && styles.sorted)}
                        onClick={() => sortBy(by)}
                      >
                        {title}
                        {by === sort.by && <span aria-hidden="true"> {sort.descending ? '↓' : '↑'}</span>}
                      </button>
                    )}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.map((run) => (
                <RunLine
                  key={run.id}
                  run={run}
                  slot={selected.get(run.id) ?? null}
                  current={run.id === currentId}
                  connected={connected}
                  renaming={run.id === renaming}
                  onRename={setRenaming}
                  onTick={onTick}
                  onCurrent={onCurrent}
                  now={now}
                />
              ))}
            </tbody>
          </table>
        )}
        {readAt !== null && shown.length === 0 && (
          <Empty title={runs.length === 0 ? 'No runs yet' : `No run matches "${filter}"`}>
            {runs.length === 0 ? (
              'New run (N) starts one; runs of the command line show up here too.'
            ) : (
              <Button onPress={() => setFilter('')}>Show all {formatCount(runs.length)}</Button>
            )}
          </Empty>
        )}
      </div>
      {stopped && <StopDialog run={stopped} onClose={() => setStopping(null)} />}
    </Screen>
  );
});

/** Start of this minute, in seconds since 1970: the same value for every row, so that rows are not rendered for a second that nobody sees. */
function useMinute(): number {
  const [minute, setMinute] = useState(() => Math.floor(nowSeconds() / 60));
  useEffect(() => {
    const timer = setInterval(() => setMinute(Math.floor(nowSeconds() / 60)), 5000);
    return () => clearInterval(timer);
  }, []);
  return minute * 60;
}
