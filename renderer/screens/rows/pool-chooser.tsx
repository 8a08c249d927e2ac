/** Which rows to look at: pools that were opened or trained on, or any folder. */
import { useState, type SubmitEvent } from 'react';
import type { PoolEntry } from '../../../main/contract/window/rows.ts';
import { useQuery } from '../../api/use-query.ts';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/empty.tsx';
import { LinkTo } from '../../components/link-to.tsx';
import { Screen } from '../../components/screen.tsx';
import { Section } from '../../components/section.tsx';
import { Spinner } from '../../components/spinner.tsx';
import { formatMoment } from '../../format/times.ts';
import { formatAddress, go } from '../../navigation/address.ts';
import { useKeys } from '../../navigation/keys.ts';
import { Fault } from './fault.tsx';
import { FolderField } from '../../components/folder-field.tsx';
import { Opening } from './pool-gate.tsx';
import { cancelOpening, openPool, poolKey, usePools, type WhichPool } from './pools.ts';
import styles from './rows.module.css';

export function PoolChooser() {
  const { data, error, loading } = useQuery('rows.pools', {});
  const [cursor, setCursor] = useState(0);
  const entries = data ?? [];
  const at = Math.min(cursor, entries.length - 1);
  const move = (by: number): void => setCursor(Math.max(0, Math.min(entries.length - 1, at + by)));
  const chosen = entries[at];
  useKeys('Rows', [
    { keys: 'J', label: 'next pool', run: () => move(1), disabled: entries.length === 0 },
    { keys: 'K', label: 'previous pool', run: () => move(-1), disabled: entries.length === 0 },
    {
      keys: 'Enter',
      label: 'open',
      run: () => chosen && go(formatAddress(['rows', chosen.pool])),
      disabled: entries.length === 0,
    },
  ]);
  return (
    <Screen title="Rows">
      <OpenFolder />
      <Section title="Pools" note="opened here or trained on, last used first" noLine>
        {error && <Fault error={error} />}
        {loading && !data && (
          <div className={styles.padded}>
            <Spinner label="Reading the list of pools" />
          </div>
        )}
        {data && entries.length === 0 && (
          <Empty title="No pool was opened yet">
            A pool is a rows folder: episodes, each a folder with a rows.jsonl and its screenshots.
          </Empty>
        )}
        {entries.length > 0 && <PoolTable entries={entries} cursor={at} />}
      </Section>
    </Screen>
  );
}

function PoolTable({ entries, cursor }: { entries: readonly PoolEntry[]; cursor: number }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Rows folder</th>
          <th scope="col">Pool</th>
          <th scope="col">Last used</th>
        </tr>
      </thead>
      <tbody>
        {entries.map(({ pool, folders, opened }, index) => (
          <tr
            key={pool}
            className={index === cursor ? styles.cursor : undefined}
            aria-current={index === cursor || undefined}
          >
            <td className={styles.path}>
              <LinkTo to={formatAddress(['rows', pool])}>{folders.join(', ')}</LinkTo>
            </td>
            <td className="mono-small third">{pool.slice(0, 8)}</td>
            <td className="second">{formatMoment(opened)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function OpenFolder() {
  const [folder, setFolder] = useState('');
  const [which, setWhich] = useState<WhichPool | null>(null);
  const key = which && poolKey(which);
  const state = usePools(({ pools }) => (key === null ? undefined : pools[key]));
  const open = async (path: string): Promise<void> => {
    const next = { folders: [path] };
    setWhich(next);
    const pool = await openPool(next);
    if (pool) go(formatAddress(['rows', pool.pool]));
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (folder.trim() !== '') void open(folder.trim());
  };
  return (
    <Section title="Open a rows folder" note="on the machine of the main process" padded>
      <form className={styles.openForm} onSubmit={submit}>
        <FolderField
          label="Rows folder"
          title="Choose a rows folder"
          placeholder="/data/rows"
          value={folder}
          onChange={setFolder}
          state={state?.state === 'failed' && state.error.code !== 'cancelled' ? 'error' : 'plain'}
        />
        <Button kind="primary" type="submit" disabledReason={folder.trim() === '' ? 'Enter a folder first' : undefined}>
          Open
        </Button>
      </form>
      {key !== null && state?.state === 'opening' && <Opening state={state} onCancel={() => cancelOpening(key)} />}
      {state?.state === 'failed' && <Fault error={state.error} />}
    </Section>
  );
}
