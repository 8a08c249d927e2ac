/** A pool: episodes at the left, the rows that the filter lets through at the right. Filter and cursor are in the address. */
import { useRef } from 'react';
import type { OpenPool, RowItem } from '../../../main/contract/window/rows.ts';
import { call } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { LinkTo } from '../../components/link-to.tsx';
import { Say } from '../../components/say.tsx';
import { Screen } from '../../components/screen.tsx';
import { formatCount, formatCounted } from '../../format/numbers.ts';
import { formatAddress, go, setQuery, useAddress } from '../../navigation/address.ts';
import { useKeys } from '../../navigation/keys.ts';
import { EpisodeList } from './episode-list.tsx';
import { filterOf, filterQuery, isFiltered } from './filter-address.ts';
import { FilterBar } from './filter-bar.tsx';
import { rememberedModel } from './model-choice.ts';
import { openPool, usePools } from './pools.ts';
import { RowTable } from './row-table.tsx';
import styles from './rows.module.css';

export function PoolBrowser({ pool }: { pool: OpenPool }) {
  const { query } = useAddress();
  const filter = filterOf(query);
  const key = JSON.stringify([filter, pool.opened]);
  const search = useRef<HTMLInputElement>(null);
  const isReading = usePools(({ pools }) => pools[pool.pool]?.state === 'opening');
  const rowAddress = ({ episode, line }: Pick<RowItem, 'episode' | 'line'>): string =>
    formatAddress(['rows', pool.pool, episode, line], {
      ...filterQuery(filter),
      model: query['model'] ?? rememberedModel() ?? undefined,
    });
  useKeys('Rows', [
    { keys: '/', label: 'filter', run: () => search.current?.focus() },
    {
      keys: 'Escape',
      label: isFiltered(filter) ? 'no filter' : 'all pools',
      run: () => {
        if (document.activeElement === search.current) search.current?.blur();
        else if (isFiltered(filter))
          setQuery({
            q: undefined,
            family: undefined,
            variant: undefined,
            op: undefined,
            episode: undefined,
            at: undefined,
          });
        else go('/rows');
      },
    },
  ]);
  const folder = pool.folders.join(', ');
  return (
    <Screen
      title="Rows"
      windowTitle={`Rows of ${folder}`}
      className={styles.browser}
      head={
        <>
          <span className={`mono-small second ellipsis ${styles.headPath}`} title={folder}>
            {folder}
          </span>
          <span className="small second">
            {formatCounted(pool.rows, 'row')}, {formatCounted(pool.episodes, 'episode')}
          </span>
          <span className="grow" />
          <Button
            onPress={() => void openPool({ pool: pool.pool })}
            disabledReason={isReading ? 'The rows are being read' : undefined}
          >
            {isReading ? 'Reading' : 'Read again'}
          </Button>
          <LinkTo to="/rows" as="plain">
            All pools
          </LinkTo>
        </>
      }
      tools={<FilterBar pool={pool} filter={filter} searchRef={search} />}
      under={<PoolNotes pool={pool} />}
    >
      <EpisodeList
        key={`episodes ${JSON.stringify([{ ...filter, episode: null }, pool.opened])}`}
        pool={pool}
        filter={filter}
      />
      <RowTable
        key={key}
        fetch={(from, count) => call('rows.list', { pool: pool.pool, filter, from, count })}
        address={rowAddress}
        isFiltered={isFiltered(filter)}
      />
    </Screen>
  );
}

/** What is not in the list, and why. */
function PoolNotes({ pool }: { pool: OpenPool }) {
  const { bad, badCount, leftOut } = pool;
  const left = leftOut.inject + leftOut.augPrefix;
  if (badCount === 0 && left === 0) return null;
  return (
    <div className={styles.notes}>
      {badCount > 0 && (
        <details>
          <summary>
            <Say kind="bad" title={`${formatCounted(badCount, 'row')} cannot be used.`}>
              Not in this list. A launch waits, since leaving rows out changes the experiment. <u>Where and why</u>
            </Say>
          </summary>
          <ul className={styles.bad}>
            {bad.map(({ file, line, message }) => (
              <li key={`${file}:${line}:${message}`}>
                <span className="mono-small">
                  {file}
                  {line > 0 ? `:${line}` : ''}
                </span>{' '}
                {message}
              </li>
            ))}
            {badCount > bad.length && <li>and {formatCount(badCount - bad.length)} more</li>}
          </ul>
        </details>
      )}
      {left > 0 && (
        <p className="note third">
          {formatCounted(left, 'row')} left out as every reader does: {formatCount(leftOut.inject)} injected mistakes,{' '}
          {formatCount(leftOut.augPrefix)} prefixes of them.
        </p>
      )}
    </div>
  );
}
