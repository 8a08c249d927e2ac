/** Rows that cannot be read: where each is and why, and the way to go on without them, which the plan then says. */
import { useState } from 'react';
import type { BadRow } from '../../../main/contract/pool.ts';
import { Button } from '../../components/button.tsx';
import { Checkbox } from '../../components/checkbox.tsx';
import { Say } from '../../components/say.tsx';
import { useDraft } from '../../stores/draft.ts';
import { useForm } from './form.ts';
import { shortPath } from './paths.ts';
import styles from './new-run.module.css';

const shownAtFirst = 5;

export function BadRowLines({ rows, folders }: { rows: readonly BadRow[]; folders: readonly string[] }) {
  return (
    <ul className={styles.badRows}>
      {rows.map((row) => (
        <li key={`${row.file}:${row.line}`} title={row.file}>
          {shortPath(row.file, folders)}
          {row.line > 0 && `:${row.line}`} <span>{row.message}</span>
        </li>
      ))}
    </ul>
  );
}

export function BadRows({ title }: { title: string }) {
  const { pool, request } = useForm();
  const [all, setAll] = useState(false);
  const setRequest = useDraft((draft) => draft.setRequest);
  if (pool === null) return null;
  const { bad, badCount } = pool;
  const shown = all ? bad : bad.slice(0, shownAtFirst);
  const these = badCount === 1 ? 'this row' : `these ${badCount} rows`;
  return (
    <Say kind="bad" title={`${title}.`}>
      Launch waits, since leaving rows out changes the experiment.
      <BadRowLines rows={shown} folders={request.rowsFolders} />
      {bad.length > shownAtFirst && (
        <Button kind="text" small onPress={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show ${bad.length === badCount ? 'all' : 'the first'} ${bad.length}`}
        </Button>
      )}
      <div>
        <Checkbox
          checked={false}
          onChange={() => setRequest({ allowBad: badCount })}
          label={`Go on without ${these} (--allow-bad ${badCount}, written into the plan)`}
        />
      </div>
    </Say>
  );
}

/** Once they were let through: said as long as it holds, and taken back in the same place. */
export function AllowedRows() {
  const { request, pool } = useForm();
  const setRequest = useDraft((draft) => draft.setRequest);
  if (request.allowBad === 0) return null;
  const found = pool === null ? null : pool.badCount;
  return (
    <div className={styles.problems}>
      <Checkbox
        checked
        onChange={() => setRequest({ allowBad: 0 })}
        label={`Go on without up to ${request.allowBad} ${request.allowBad === 1 ? 'row' : 'rows'} that cannot be used (--allow-bad ${request.allowBad}, written into the plan)`}
      />
      {pool !== null && found !== null && found > 0 && found <= request.allowBad && (
        <BadRowLines rows={pool.bad.slice(0, shownAtFirst)} folders={request.rowsFolders} />
      )}
    </div>
  );
}
