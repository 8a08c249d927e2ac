/** The page of one row: its head and keys; screenshot and prompt at the left, target at the right. */
import { useEffect } from 'react';
import type { OpenPool, RowDetail } from '../../../main/contract/window/rows.ts';
import { useQuery } from '../../api/use-query.ts';
import { Button } from '../../components/button.tsx';
import { LinkTo } from '../../components/link-to.tsx';
import { Screen } from '../../components/screen.tsx';
import { Spinner } from '../../components/spinner.tsx';
import { formatCount } from '../../format/numbers.ts';
import { formatAddress, go, setQuery, useAddress } from '../../navigation/address.ts';
import { useKeys } from '../../navigation/keys.ts';
import { Fault } from './fault.tsx';
import { filterOf, filterQuery, isFiltered } from './filter-address.ts';
import { rememberedModel, rememberModel } from './model-choice.ts';
import { openPool } from './pools.ts';
import { Prompt } from './prompt.tsx';
import { RowHead } from './row-head.tsx';
import { Screenshot } from './screenshot.tsx';
import { Target } from './target.tsx';
import styles from './row.module.css';

interface RowPageProps {
  pool: OpenPool;
  episode: string;
  line: number;
}

export function RowPage({ pool, episode, line }: RowPageProps) {
  const { query } = useAddress();
  const filter = filterOf(query);
  const model = query['model'] ?? null;
  const isLine = Number.isSafeInteger(line) && line > 0;
  const { data, error, reload } = useQuery(
    'rows.read',
    isLine ? { pool: pool.pool, episode, line, model, filter } : null,
  );
  // A link without a model is read with the one that was used last, and says so in its address.
  useEffect(() => {
    if (model !== null) rememberModel(model);
    else {
      const last = rememberedModel();
      if (last !== null) setQuery({ model: last });
    }
  }, [model]);

  const listAddress = formatAddress(['rows', pool.pool], {
    ...filterQuery(filter),
    at: data?.place.at ? String(data.place.at) : undefined,
  });
  const step = (to: RowDetail['next'] | undefined): void => {
    if (to)
      go(
        formatAddress(['rows', pool.pool, to.episode, to.line], { ...filterQuery(filter), model: model ?? undefined }),
        {
          replace: true,
        },
      );
  };
  useKeys('Row', [
    { keys: 'J', label: 'next row', run: () => step(data?.next), disabled: !data?.next },
    { keys: 'K', label: 'previous row', run: () => step(data?.previous), disabled: !data?.previous },
    { keys: 'Escape', label: 'back to the list', run: () => go(listAddress) },
  ]);

  const place =
    data && `row ${data.place.at === null ? '–' : formatCount(data.place.at + 1)} of ${formatCount(data.place.of)}`;
  return (
    <Screen
      windowTitle={`${episode}:${line}`}
      className={data ? styles.page : undefined}
      head={
        <>
          <RowHead pool={pool.pool} listAddress={listAddress} episode={episode} line={line} item={data?.item ?? null} />
          <span className="grow" />
          {place !== null && (
            <span className="small third">
              {place}
              {isFiltered(filter) ? ' under the filter' : ''}
            </span>
          )}
          <Button
            kind="text"
            keys="K"
            disabledReason={data && !data.previous ? 'This is the first row' : undefined}
            onPress={() => step(data?.previous)}
          >
            <span aria-hidden="true">‹</span>
            <span className="unseen">Previous row</span>
          </Button>
          <Button
            kind="text"
            keys="J"
            disabledReason={data && !data.next ? 'This is the last row' : undefined}
            onPress={() => step(data?.next)}
          >
            <span className="unseen">Next row</span>
            <span aria-hidden="true">›</span>
          </Button>
        </>
      }
    >
      {!isLine && (
        <Fault
          error={{
            code: 'bad-address',
            message: 'this address names no line of rows.jsonl',
            hint: 'The last part of a row’s address is the number of its line, from 1 on.',
          }}
          actions={
            <LinkTo to={listAddress} as="plain">
              All rows
            </LinkTo>
          }
        />
      )}
      {isLine && error && !data && (
        <Fault
          error={error}
          actions={
            <>
              <Button onPress={() => void openPool({ pool: pool.pool }).then(reload)}>Read the pool again</Button>
              <LinkTo to={listAddress} as="plain">
                All rows
              </LinkTo>
            </>
          }
        />
      )}
      {isLine && !data && !error && (
        <div className={styles.waiting}>
          <Spinner label="Reading the row" />
        </div>
      )}
      {data && (
        <>
          <div className={styles.left}>
            <Screenshot key={`image ${data.item.index} ${pool.opened}`} row={data} />
            <Prompt key={`prompt ${data.item.index}`} row={data} />
          </div>
          <Target key={`target ${data.item.index} ${data.model ?? ''}`} row={data} />
        </>
      )}
    </Screen>
  );
}
