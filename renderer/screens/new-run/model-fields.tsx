/** The base model: one from the hub's cache, or any folder; and another folder for its processor. */
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Select } from '../../components/select.tsx';
import { formatBytes } from '../../format/numbers.ts';
import { useDraft } from '../../stores/draft.ts';
import { FieldLine } from './field-line.tsx';
import { fieldId, frameState, problemsId, useFieldProblems, useForm } from './form.ts';
import { PathInput } from './path-input.tsx';
import styles from './new-run.module.css';

/** No folder and no hub id is called so. */
const another = '\u0000another';

function ModelFacts() {
  const { check, checked, request, models } = useForm();
  const model = check?.model ?? null;
  if (request.model === '')
    return models?.length === 0 ? 'none in the cache of the hub' : 'a folder, or an id in the cache of the hub';
  if (!checked) return 'looking';
  if (model === null) return null;
  const revision = model.revision === null ? '' : `, rev ${model.revision.slice(0, 8)}`;
  return `${model.architecture}, ${formatBytes(model.bytes)}${revision}`;
}

export function ModelField() {
  const { models, request } = useForm();
  const setRequest = useDraft((draft) => draft.setRequest);
  const problems = useFieldProblems('model');
  const [typing, setTyping] = useState(false);
  const listed = models ?? [];
  const known = listed.some(({ id }) => id === request.model);
  const types = listed.length === 0 || typing || (request.model !== '' && !known);
  const common = {
    id: fieldId('model'),
    label: 'model',
    state: frameState(problems, false),
    describedBy: problems.length > 0 ? problemsId('model') : undefined,
  };
  const options = [
    ...(request.model === '' ? [{ value: '', label: 'choose a model' }] : []),
    ...listed.map(({ id, bytes, problem }) => ({
      value: id,
      label: `${id}, ${formatBytes(bytes)}${problem === null ? '' : `, cannot be trained: ${problem}`}`,
      disabled: problem !== null && id !== request.model,
    })),
    { value: another, label: 'another folder or id…' },
  ];
  return (
    <FieldLine name="model" label="model" wide meaning={<ModelFacts />}>
      {types ? (
        <div className={styles.path}>
          <PathInput
            {...common}
            value={request.model}
            placeholder="folder, or hub id"
            onChange={(model) => setRequest({ model })}
          />
          {listed.length > 0 && (
            <Button
              onPress={() => {
                setTyping(false);
                if (!known) setRequest({ model: '' });
              }}
            >
              List
            </Button>
          )}
        </div>
      ) : (
        <Select
          {...common}
          mono
          width={320}
          options={options}
          value={request.model}
          onChange={(model) => {
            if (model === another) setTyping(true);
            else setRequest({ model });
          }}
        />
      )}
    </FieldLine>
  );
}

export function ProcessorField() {
  const { request } = useForm();
  const setRequest = useDraft((draft) => draft.setRequest);
  const problems = useFieldProblems('processor');
  return (
    <FieldLine
      name="processor"
      label="processor"
      wide
      changedFrom={request.processor === null ? undefined : "the model's own"}
      meaning="folder of another tokenizer, chat template and image processor"
    >
      <div className={styles.path}>
        <PathInput
          id={fieldId('processor')}
          label="processor"
          state={frameState(problems, false)}
          describedBy={problems.length > 0 ? problemsId('processor') : undefined}
          value={request.processor ?? ''}
          placeholder="the model's own"
          onChange={(text) => setRequest({ processor: text === '' ? null : text })}
        />
      </div>
    </FieldLine>
  );
}
