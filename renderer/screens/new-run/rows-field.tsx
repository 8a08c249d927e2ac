/** The rows folders, and what was found in them. */
import { Button } from '../../components/button.tsx';
import { ProgressBar } from '../../components/progress-bar.tsx';
import { formatCount, formatCounted } from '../../format/numbers.ts';
import { formatDuration } from '../../format/times.ts';
import { useDraft } from '../../stores/draft.ts';
import { AllowedRows } from './bad-rows.tsx';
import { FieldLine } from './field-line.tsx';
import { fieldId, frameState, problemsId, useFieldProblems, useForm } from './form.ts';
import { usePoolJob } from './job-store.ts';
import { PathInput } from './path-input.tsx';
import styles from './new-run.module.css';

function PoolLine() {
  const { pool, poolKey, request } = useForm();
  const { running, progress, fault, faultKey, start, cancel } = usePoolJob();
  const folders = request.rowsFolders.filter((folder) => folder.trim() !== '');
  const again = (
    <Button kind="text" small onPress={() => void start(poolKey, { rowsFolders: folders })}>
      Read again
    </Button>
  );
  if (running === poolKey)
    return (
      <div className={styles.reading} role="status">
        <span>
          {progress === null
            ? 'reading rows'
            : `${progress.stage} ${formatCount(progress.done)}${progress.of > 0 ? ` of ${formatCount(progress.of)}` : ''}`}
        </span>
        <ProgressBar
          label="Reading rows"
          value={progress === null || progress.of === 0 ? null : progress.done / progress.of}
        />
        <Button kind="text" small onPress={cancel}>
          Cancel
        </Button>
      </div>
    );
  if (faultKey === poolKey && fault !== null)
    return (
      <div className={styles.reading}>
        <span>{fault.code === 'cancelled' ? 'reading was cancelled' : 'the rows are not read'}</span>
        {again}
      </div>
    );
  if (pool === null) return null;
  const { inject, augPrefix } = pool.leftOut;
  return (
    <>
      <div className={styles.reading}>
        <span>
          {formatCounted(pool.episodes, 'episode')}, {formatCounted(pool.rows, 'row')},{' '}
          {formatCounted(pool.images, 'image')}
          {inject + augPrefix > 0 &&
            `; left out ${formatCount(inject)} injected and ${formatCount(augPrefix)} that lead up to them`}
          {pool.seconds >= 1 && `; read in ${formatDuration(pool.seconds)}`}
        </span>
        {again}
      </div>
      {pool.linkTargets.length > 0 && (
        <div className={styles.reading}>
          <span className={styles.wrap}>episodes are links into {pool.linkTargets.join(', ')}</span>
        </div>
      )}
    </>
  );
}

export function RowsField() {
  const { request } = useForm();
  const setRequest = useDraft((draft) => draft.setRequest);
  const problems = useFieldProblems('rowsFolders');
  const folders = request.rowsFolders;
  const set = (rowsFolders: string[]): void =>
    // Rows of other folders were not the ones that somebody let through.
    setRequest({ rowsFolders, allowBad: 0 });
  return (
    <FieldLine
      name="rowsFolders"
      label="rows folders"
      wide
      below={
        <>
          <PoolLine />
          <AllowedRows />
        </>
      }
    >
      {folders.map((folder, index) => (
        <div key={index} className={styles.path}>
          <PathInput
            id={index === 0 ? fieldId('rowsFolders') : `${fieldId('rowsFolders')}-${index}`}
            label={`rows folder ${index + 1}`}
            state={frameState(problems, false)}
            describedBy={problems.length > 0 ? problemsId('rowsFolders') : undefined}
            placeholder="folder of episodes, each with a rows.jsonl"
            value={folder}
            onChange={(text) => set(folders.map((each, at) => (at === index ? text : each)))}
          />
          {folders.length > 1 && (
            <Button
              label={`Remove rows folder ${index + 1}`}
              onPress={() => set(folders.filter((_, at) => at !== index))}
            >
              Remove
            </Button>
          )}
          {index === folders.length - 1 && <Button onPress={() => set([...folders, ''])}>Add</Button>}
        </div>
      ))}
    </FieldLine>
  );
}
