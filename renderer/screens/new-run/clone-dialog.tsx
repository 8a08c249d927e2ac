/** Which run to clone: found by a few letters of its name, newest first. */
import { useMemo, useState } from 'react';
import type { RunRow } from '../../../main/contract/window/runs.ts';
import { useQuery } from '../../api/use-query.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Say } from '../../components/say.tsx';
import { Spinner } from '../../components/spinner.tsx';
import { StateMark } from '../../components/state-mark.tsx';
import { TextInput } from '../../components/text-input.tsx';
import { formatMoment } from '../../format/times.ts';
import { sentence } from '../../format/sentence.ts';
import styles from './new-run.module.css';

const shownRuns = 100;

export function CloneDialog({ onClose, onChoose }: { onClose: () => void; onChoose: (run: RunRow) => void }) {
  const { data, error } = useQuery('runs.list', {});
  const [text, setText] = useState('');
  const found = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/);
    const runs = [...(data?.runs ?? [])].sort((a, b) => b.created - a.created);
    return runs.filter((run) => {
      const where = `${run.name} ${run.id} ${run.modelName}`.toLowerCase();
      return words.every((word) => where.includes(word));
    });
  }, [data, text]);
  const first = found[0];
  return (
    <Dialog title="Clone a run" onClose={onClose} width={560}>
      <TextInput
        label="Name of a run"
        placeholder="name, id or model"
        autoFocus
        value={text}
        onChange={setText}
        onEnter={() => {
          if (first) onChoose(first);
        }}
      />
      <div className={styles.runs}>
        {error !== null && (
          <Say kind="bad" title={sentence(error.message)}>
            {error.hint}
          </Say>
        )}
        {data === null && error === null && <Spinner label="reading the runs" />}
        {data !== null && found.length === 0 && (
          <p>{data.runs.length === 0 ? 'There is no run yet.' : 'No run is called so.'}</p>
        )}
        <ul>
          {found.slice(0, shownRuns).map((run) => (
            <li key={run.id}>
              <button type="button" className={styles.runChoice} onClick={() => onChoose(run)}>
                <span className={styles.runName}>{run.name}</span>
                <StateMark state={run.state} elsewhere={run.elsewhere} />
                <span className={styles.runWhen}>{formatMoment(run.created)}</span>
              </button>
            </li>
          ))}
        </ul>
        {found.length > shownRuns && <p>{found.length - shownRuns} more: write a part of the name.</p>}
      </div>
    </Dialog>
  );
}
