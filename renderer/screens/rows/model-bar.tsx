/** Whose tokenizer and chat template the row is shown with. Without one, or with one that cannot encode it: what is wrong, and the models that are here. */
import { useEffect } from 'react';
import type { RowDetail } from '../../../main/contract/window/rows.ts';
import { useQuery } from '../../api/use-query.ts';
import { Select } from '../../components/select.tsx';
import { Spinner } from '../../components/spinner.tsx';
import { shortModel } from '../../format/short-model.ts';
import { setQuery } from '../../navigation/address.ts';
import { Fault } from './fault.tsx';
import { ModelFolder } from './model-folder.tsx';
import styles from './row.module.css';

const chooseModel = (model: string): void => setQuery({ model });

export function ModelBar({ row }: { row: RowDetail }) {
  const { data, error, loading } = useQuery('draft.models', {});
  const models = data ?? [];
  // Where there is but one, there is nothing to choose; which one it is stands beside the tokens.
  const only = row.model === null && models.length === 1 ? models[0]?.id : undefined;
  useEffect(() => {
    if (only !== undefined) chooseModel(only);
  }, [only]);
  const listed = models.some(({ id }) => id === row.model);
  const options = [
    ...(row.model === null ? [{ value: '', label: 'Choose a model' }] : []),
    ...(row.model === null || listed ? [] : [{ value: row.model, label: shortModel(row.model, 2) }]),
    ...models.map(({ id }) => ({ value: id, label: shortModel(id, 2) })),
  ];
  const select = (
    <Select
      label="Model"
      value={row.model ?? ''}
      options={options}
      onChange={chooseModel}
      width={row.tokens ? 210 : 340}
      mono
    />
  );
  if (row.tokens) return <span title={row.model ?? undefined}>{select}</span>;
  return (
    <section aria-label="Target as tokens" className={styles.noTokens}>
      <div className={styles.sectionHead}>
        <h2>Target</h2>
        <span className="third">not tokenised</span>
      </div>
      <div className={styles.choose}>
        {row.fault && <Fault error={row.fault} />}
        {loading && !data && <Spinner label="Looking for models" />}
        {error && !data && <Fault error={error} />}
        {data && models.length > 0 && select}
        {data && models.length === 0 && <p className="small second">No model was found on this machine.</p>}
        <ModelFolder onChoose={chooseModel} />
      </div>
    </section>
  );
}
