/** Episodes that have rows under the filter; choosing one narrows the rows to it. */
import { useRef } from 'react';
import type { EpisodeItem, OpenPool, RowFilter } from '../../../main/contract/window/rows.ts';
import { call } from '../../api/client.ts';
import { classes } from '../../components/classes.ts';
import { Spinner } from '../../components/spinner.tsx';
import { formatCount } from '../../format/numbers.ts';
import { setQuery } from '../../navigation/address.ts';
import { Fault } from './fault.tsx';
import { usePagedList } from './use-paged-list.ts';
import styles from './rows.module.css';

const height = 24;

export function EpisodeList({ pool, filter }: { pool: OpenPool; filter: RowFilter }) {
  'use no memo';
  const region = useRef<HTMLDivElement>(null);
  const { total, error, at, virtualizer } = usePagedList<EpisodeItem>(
    (from, count) => call('rows.episodes', { pool: pool.pool, filter: { ...filter, episode: null }, from, count }),
    region,
    height,
  );
  const choose = (episode: string | undefined): void => setQuery({ episode, at: undefined });
  return (
    <section className={styles.episodes} aria-label="Episodes">
      <button
        type="button"
        className={classes(styles.episode, styles.allEpisodes, filter.episode === null && styles.chosen)}
        aria-pressed={filter.episode === null}
        onClick={() => choose(undefined)}
      >
        <span className="grow">All episodes</span>
        <span className="third">{total === null ? '' : formatCount(total)}</span>
      </button>
      {error && <Fault error={error} />}
      {total === null && !error && <Spinner label="Reading episodes" />}
      <div ref={region} className="scroll">
        <div role="list" className={styles.tall} style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, start }) => {
            const item = at(index);
            return (
              <div
                key={index}
                role="listitem"
                aria-setsize={total ?? -1}
                aria-posinset={index + 1}
                className={styles.placed}
                style={{ height, transform: `translateY(${start}px)` }}
              >
                {item && (
                  <button
                    type="button"
                    className={classes(styles.episode, filter.episode === item.name && styles.chosen)}
                    aria-pressed={filter.episode === item.name}
                    title={`${item.name}, task ${item.taskId}, ${item.families.join(', ')}, ${item.variant}`}
                    onClick={() => choose(filter.episode === item.name ? undefined : item.name)}
                  >
                    <span className="grow ellipsis">{item.name}</span>
                    <span className="third">{formatCount(item.rows)}</span>
                  </button>
                )}
              </div>
            );
          })}
        </div>
      </div>
    </section>
  );
}
