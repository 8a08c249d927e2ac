/** A model by its folder or hub id, where the list does not have it. */
import { useState, type SubmitEvent } from 'react';
import { Button } from '../../components/button.tsx';
import { FolderField } from '../../components/folder-field.tsx';
import styles from './row.module.css';

export function ModelFolder({ onChoose }: { onChoose: (model: string) => void }) {
  const [model, setModel] = useState('');
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (model.trim() !== '') onChoose(model.trim());
  };
  return (
    <form className={styles.modelForm} onSubmit={submit}>
      <FolderField
        label="Folder or hub id of another model"
        title="Choose a model's folder"
        placeholder="Folder or hub id, as in Qwen/Qwen3.5-4B"
        value={model}
        onChange={setModel}
      />
      <Button type="submit" disabledReason={model.trim() === '' ? 'Enter a model first' : undefined}>
        Use
      </Button>
    </form>
  );
}
