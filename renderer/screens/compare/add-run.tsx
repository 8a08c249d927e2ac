/** Chooses further runs for the comparison. */
import { useState } from 'react';
import type { RunRow } from '../../../main/contract/window/runs.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { StateMark } from '../../components/state-mark.tsx';
import { TextInput } from '../../components/text-input.tsx';
import { formatLoss } from '../../format/numbers.ts';
import { ceRole, lastOf, matches, sortRuns, usualSort } from '../runs/run-table.ts';
import styles from './compare.module.css';

interface AddRunProps {
  runs: readonly RunRow[];
  taken: ReadonlySet<string>;
  onAdd: (id: string) => void;
  onClose: () => void;
}

export function AddRun({ runs, taken, onAdd, onClose }: AddRunProps) {
  const [filter, setFilter] = useState('');
  const free = sortRuns(
    runs.filter((run) => !taken.has(run.id) && matches(run, filter)),
    usualSort,
  );
  return (
    <Dialog title="Add a run" onClose={onClose} width={620} high>
      <TextInput
        label="Filter runs"
        placeholder="Filter: name, note, state, model, recipe"
        type="search"
        autoFocus
        value={filter}
        onChange={setFilter}
        onEnter={() => free[0] && onAdd(free[0].id)}
      />
      <ul className={`scroll ${styles.choices ?? ''}`}>
        {free.slice(0, 100).map((run) => (
          <li key={run.id}>
            <Button kind="text" onPress={() => onAdd(run.id)}>
              {run.name}
            </Button>
            <span className="third ellipsis grow">{run.note}</span>
            <StateMark state={run.state} />
            <span className={styles.choiceNumber}>{formatLoss(lastOf(run, ceRole(run)))}</span>
          </li>
        ))}
        {free.length === 0 && (
          <li className="third">{filter === '' ? 'All runs are there already.' : 'No other run matches.'}</li>
        )}
      </ul>
    </Dialog>
  );
}
