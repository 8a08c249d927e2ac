/** The rows of a pool, of which only those in view are in the page. J and K move the cursor, which is in the address, so that coming back finds the place. */
import { useEffect, useRef } from 'react';
import type { Page, RowItem } from '../../../main/contract/window/rows.ts';
import { classes } from '../../components/classes.ts';
import { Empty } from '../../components/empty.tsx';
import { LinkTo } from '../../components/link-to.tsx';
import { Spinner } from '../../components/spinner.tsx';
import { formatCount, formatCounted, missing } from '../../format/numbers.ts';
import { go, setQuery, useAddress } from '../../navigation/address.ts';
import { useKeys } from '../../navigation/keys.ts';
import { Fault } from './fault.tsx';
import { usePagedList } from './use-paged-list.ts';
import styles from './rows.module.css';

const height = 26;

interface RowTableProps {
  fetch: (from: number, count: number) => Promise<Page<RowItem>>;
  address: (item: RowItem) => string;
  isFiltered: boolean;
}

export function RowTable({ fetch, address, isFiltered }: RowTableProps) {
  'use no memo';
  const region = useRef<HTMLDivElement>(null);
  const { query } = useAddress();
  const wanted = Number(query['at'] ?? 0);
  const cursor = Number.isSafeInteger(wanted) && wanted > 0 ? wanted : 0;
  const { total, error, at, virtualizer } = usePagedList(fetch, region, height, cursor);
  const last = (total ?? 1) - 1;
  const here = Math.min(cursor, last);
  const move = (to: number): void => {
    const next = Math.max(0, Math.min(last, to));
    setQuery({ at: next === 0 ? undefined : String(next) });
    virtualizer.scrollToIndex(next, { align: 'auto' });
  };
  // Where the list begins anew at a cursor that is out of view.
  const isShown = total !== null && total > 0;
  useEffect(() => {
    if (isShown) virtualizer.scrollToIndex(Math.min(cursor, last), { align: 'auto' });
    // Only when the list has come: later the cursor moves the list itself.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isShown]);
  const page = (): number => Math.max(1, Math.floor((region.current?.clientHeight ?? height) / height) - 1);
  const chosen = at(here);
  useKeys('Rows', [
    { keys: 'J', label: 'next row', run: () => move(here + 1) },
    { keys: 'K', label: 'previous row', run: () => move(here - 1) },
    { keys: 'ArrowDown', label: 'next row', run: () => move(here + 1), minor: true },
    { keys: 'ArrowUp', label: 'previous row', run: () => move(here - 1), minor: true },
    { keys: 'PageDown', label: 'a page down', run: () => move(here + page()), minor: true },
    { keys: 'PageUp', label: 'a page up', run: () => move(here - page()), minor: true },
    { keys: 'Home', label: 'first row', run: () => move(0), minor: true },
    { keys: 'End', label: 'last row', run: () => move(last), minor: true },
    { keys: 'Enter', label: 'open', run: () => chosen && go(address(chosen)), inFields: true },
  ]);
  return (
    <section className={styles.rows} aria-label="Rows">
      <p className={styles.count} role="status">
        {total === null ? '' : `${formatCounted(total, 'row')}${isFiltered ? ' under this filter' : ''}`}
      </p>
      {error && <Fault error={error} />}
      {total === null && !error && (
        <div className={styles.padded}>
          <Spinner label="Reading the list" />
        </div>
      )}
      {total === 0 && <Empty title="No row matches">Every word has to be in episode, task id or operation.</Empty>}
      <div role="table" aria-label="Rows" aria-rowcount={(total ?? 0) + 1} className={styles.table}>
        <div role="rowgroup">
          <div role="row" aria-rowindex={1} className={classes(styles.row, styles.tableHead)}>
            {['Row', 'Task', 'Step', 'Family', 'Variant', 'Operation', 'Memory by', 'Images'].map((title) => (
              <span key={title} role="columnheader">
                {title}
              </span>
            ))}
          </div>
        </div>
        <div ref={region} role="rowgroup" className="scroll">
          <div role="presentation" className={styles.tall} style={{ height: virtualizer.getTotalSize() }}>
            {virtualizer.getVirtualItems().map(({ index, start }) => (
              <div
                key={index}
                role="row"
                aria-rowindex={index + 2}
                aria-current={index === here || undefined}
                className={classes(styles.row, styles.placed, index === here && styles.cursor)}
                style={{ height, transform: `translateY(${start}px)` }}
              >
                <RowCells item={at(index)} address={address} onPress={() => setQuery({ at: String(index) })} />
              </div>
            ))}
          </div>
        </div>
      </div>
    </section>
  );
}

interface RowCellsProps {
  item: RowItem | undefined;
  address: (item: RowItem) => string;
  /** Before the link is followed: going back has to find this row. */
  onPress: () => void;
}

function RowCells({ item, address, onPress }: RowCellsProps) {
  if (!item) return <span role="cell" className="third" aria-label="not read yet" />;
  return (
    <>
      <span role="cell" className="ellipsis" onClickCapture={onPress}>
        <LinkTo to={address(item)} className="mono-small">
          {item.episode}:{item.line}
        </LinkTo>
      </span>
      <span role="cell" className="ellipsis second" title={item.taskId}>
        {item.taskId}
      </span>
      <span role="cell" className={styles.number}>
        {formatCount(item.step)}
      </span>
      <span role="cell" className="ellipsis">
        {item.family}
      </span>
      <span role="cell" className="second">
        {item.variant}
      </span>
      <span role="cell" className="mono-small">
        {item.operation ?? missing}
      </span>
      <span role="cell" className="second ellipsis">
        {item.memoryBy ?? missing}
      </span>
      <span role="cell" className={styles.number}>
        {formatCount(item.images)}
      </span>
    </>
  );
}
