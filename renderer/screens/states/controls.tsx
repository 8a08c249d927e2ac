/** Buttons, fields and choices in all their states. */
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Checkbox } from '../../components/checkbox.tsx';
import { FolderField } from '../../components/folder-field.tsx';
import { Kbd } from '../../components/kbd.tsx';
import { LinkTo } from '../../components/link-to.tsx';
import { Say } from '../../components/say.tsx';
import { Section } from '../../components/section.tsx';
import { Segmented } from '../../components/segmented.tsx';
import { Select } from '../../components/select.tsx';
import { TextInput, type FieldState } from '../../components/text-input.tsx';
import styles from './states-screen.module.css';

export function Buttons() {
  const [on, setOn] = useState(true);
  return (
    <Section title="Buttons" note="the key acts through the screen's list" padded>
      <div className={styles.line}>
        <Button kind="primary">Launch</Button>
        <Button keys="D">Clone</Button>
        <Button kind="danger">Stop now</Button>
        <Button kind="text">Export</Button>
        <Button pressed={on} keys="Y" onPress={() => setOn(!on)}>
          log y
        </Button>
        <Button disabledReason="one problem holds the launch" keys="Ctrl+Enter" kind="primary">
          Launch
        </Button>
        <Button disabledReason="needs the main process, which is not connected">Pause</Button>
        <Button small>Small</Button>
        <LinkTo to="/new" as="plain" keys="N">
          A link
        </LinkTo>
        <LinkTo to="/states">link in text</LinkTo>
        <Kbd keys="Ctrl+K" />
        <Kbd keys="ArrowLeft" />
      </div>
    </Section>
  );
}

const fields: readonly { state: FieldState; value: string }[] = [
  { state: 'plain', value: '1e-4' },
  { state: 'changed', value: '5e-5' },
  { state: 'fixed', value: '64' },
  { state: 'warning', value: '8' },
  { state: 'error', value: '0.1.2' },
];

export function Fields() {
  const [values, setValues] = useState<Record<string, string>>({});
  const [folder, setFolder] = useState('');
  const [words, setWords] = useState('');
  const [model, setModel] = useState('b');
  return (
    <Section title="Fields" note="plain, changed, fixed by another, warning, error" padded>
      <div className={styles.fields}>
        {fields.map(({ state, value }) => (
          <TextInput
            key={state}
            label={`lr, ${state}`}
            state={state}
            numeric
            value={values[state] ?? value}
            onChange={(text) => setValues({ ...values, [state]: text })}
            describedBy={state === 'error' ? 'states-lr-error' : undefined}
          />
        ))}
      </div>
      <Say kind="bad" id="states-lr-error" title="lr is not a number: 0.1.2.">
        Write 1e-4 or 0.0001
      </Say>
      <div className={styles.stack}>
        <TextInput
          label="Filter"
          type="search"
          placeholder="Filter: name, state"
          value={words}
          onChange={setWords}
          suffix={<Kbd keys="/" />}
        />
        <FolderField
          label="rows folder"
          value={folder}
          onChange={setFolder}
          placeholder="/data/rows"
          suffix="4,614 episodes"
        />
        <Select
          label="model"
          mono
          value={model}
          onChange={setModel}
          options={[
            { value: 'a', label: 'Qwen/Qwen3.5-4B', group: 'in the hub cache' },
            { value: 'b', label: 'Qwen/Qwen3.5-9B', group: 'in the hub cache' },
            { value: 'c', label: 'of an architecture that this version cannot train', disabled: true },
          ]}
        />
        <Select
          label="model, error"
          state="error"
          value=""
          onChange={setModel}
          options={[{ value: '', label: 'choose one' }]}
        />
      </div>
    </Section>
  );
}

export function Choices() {
  const [x, setX] = useState<'rows' | 'steps' | 'tokens' | 'time'>('rows');
  const [ticked, setTicked] = useState<readonly number[]>([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  const tick = (index: number): void =>
    setTicked(ticked.includes(index) ? ticked.filter((each) => each !== index) : [...ticked, index]);
  return (
    <Section title="Choices" note="arrows move inside a group" padded>
      <div className={styles.line}>
        <Segmented
          label="x"
          value={x}
          onChange={setX}
          options={[
            { value: 'rows', label: 'rows' },
            { value: 'steps', label: 'steps' },
            { value: 'tokens', label: 'tokens', disabledReason: 'no run here has counted tokens' },
            { value: 'time', label: 'time', keys: 'T' },
          ]}
        />
        {Array.from({ length: 9 }, (_, index) => (
          <Checkbox
            key={index}
            label={index === 0 ? 'ink' : `run ${index}`}
            hue={index === 0 ? undefined : index}
            checked={ticked.includes(index)}
            onChange={() => tick(index)}
          />
        ))}
        <Checkbox label="some of them" indeterminate checked={false} onChange={() => undefined} />
        <Checkbox label="off" checked={false} disabled onChange={() => undefined} />
      </div>
    </Section>
  );
}
