/** One setting of a recipe, from its description alone: control by kind, default, one line of meaning. A recipe may bring its own control for a setting. */
import type { SettingDescription } from '../../../main/contract/settings.ts';
import { Checkbox } from '../../components/checkbox.tsx';
import { Segmented } from '../../components/segmented.tsx';
import { Select } from '../../components/select.tsx';
import { TextInput } from '../../components/text-input.tsx';
import { useDraft } from '../../stores/draft.ts';
import { recipeParts } from '../../recipes/index.ts';
import { FieldLine } from './field-line.tsx';
import { fieldText, isChanged, settingLabel, valueFromText, valueOf, valueText } from './fields.ts';
import { fieldId, frameState, problemsId, useFieldProblems, useForm, type Form } from './form.ts';
import { PathInput } from './path-input.tsx';
import styles from './new-run.module.css';

/** More do not fit side by side. */
const segments = 4;

const takesFolder = (setting: SettingDescription): boolean => setting.kind === 'text' && setting.metavar === 'FOLDER';
const isOpenList = (setting: SettingDescription): boolean => setting.kind === 'list' && setting.choices === undefined;

export function SettingField({ setting }: { setting: SettingDescription }) {
  const form = useForm();
  const parts = recipeParts(form.recipe.id);
  const Own = parts.controls[setting.name];
  if (parts.drawnElsewhere.includes(setting.name)) return null;
  if (Own) return <Own setting={setting} />;
  return <PlainSetting setting={setting} form={form} />;
}

function PlainSetting({ setting, form }: { setting: SettingDescription; form: Form }) {
  const { name, kind } = setting;
  const fixed = form.fixed[name];
  const group =
    kind === 'switch' || (kind === 'choice' && (setting.choices?.length ?? 0) <= segments) || hasTicks(setting);
  const note = recipeParts(form.recipe.id).note(name, form);
  return (
    <FieldLine
      name={name}
      label={settingLabel(name)}
      group={group}
      wide={takesFolder(setting) || setting.kind === 'list' || name === 'device'}
      meaning={fixed ?? note ?? setting.meaning}
      changedFrom={isChanged(setting, form.request.settings) ? valueText(setting.default) : undefined}
    >
      <Control setting={setting} form={form} fixed={fixed !== undefined} />
    </FieldLine>
  );
}

const hasTicks = (setting: SettingDescription): boolean => setting.kind === 'list' && setting.choices !== undefined;

function Control({ setting, form, fixed }: { setting: SettingDescription; form: Form; fixed: boolean }) {
  const { name, kind, choices } = setting;
  const problems = useFieldProblems(name);
  const setSetting = useDraft((draft) => draft.setSetting);
  const value = valueOf(setting, form.request.settings);
  const text = fieldText(setting, form.request.settings, form.texts);
  const set = (next: unknown): void =>
    setSetting(name, JSON.stringify(next) === JSON.stringify(setting.default) ? undefined : next);
  const type = (typed: string): void => setSetting(name, valueFromText(setting, typed), typed);
  const common = {
    id: fieldId(name),
    label: settingLabel(name),
    state: frameState(problems, fixed),
    describedBy: problems.length > 0 ? problemsId(name) : undefined,
  };

  if (kind === 'switch')
    return (
      <Segmented
        label={common.label}
        describedBy={common.describedBy}
        options={[
          { value: 'on', label: 'on' },
          { value: 'off', label: 'off' },
        ]}
        value={value === true ? 'on' : 'off'}
        onChange={(next) => set(next === 'on')}
      />
    );
  if (name === 'device' && form.devices.length > 0)
    return <DeviceSelect {...common} text={text} form={form} onChange={(next) => set(next)} />;
  if (kind === 'choice' && choices !== undefined)
    return choices.length <= segments ? (
      <Segmented
        label={common.label}
        describedBy={common.describedBy}
        options={choices.map((choice) => ({ value: choice, label: choice }))}
        value={typeof value === 'string' ? value : null}
        onChange={set}
      />
    ) : (
      <Select
        {...common}
        options={[...(setting.default === null ? [''] : []), ...choices].map((choice) => ({
          value: choice,
          label: choice === '' ? 'none' : choice,
        }))}
        value={typeof value === 'string' ? value : ''}
        onChange={(next) => set(next === '' ? null : next)}
      />
    );
  if (hasTicks(setting)) {
    const chosen = Array.isArray(value) ? value.map(String) : [];
    return (
      <div role="group" aria-label={common.label} aria-describedby={common.describedBy} className={styles.ticks}>
        {(choices ?? []).map((choice) => (
          <Checkbox
            key={choice}
            label={choice}
            checked={chosen.includes(choice)}
            onChange={(on) => set((choices ?? []).filter((each) => (each === choice ? on : chosen.includes(each))))}
          />
        ))}
      </div>
    );
  }
  if (takesFolder(setting)) return <PathInput {...common} value={text} onChange={type} placeholder="none" />;
  if (kind === 'integer' || kind === 'number')
    return (
      <TextInput {...common} numeric width={72} value={text} onChange={type} placeholder={valueText(setting.default)} />
    );
  if (isOpenList(setting))
    return (
      <textarea
        id={common.id}
        className={styles.list}
        rows={Math.min(4, Math.max(1, text.split('\n').length))}
        spellCheck={false}
        aria-describedby={common.describedBy}
        aria-invalid={common.state === 'error' || undefined}
        placeholder="none"
        value={text}
        onChange={(event) => type(event.target.value)}
      />
    );
  return (
    <TextInput {...common} mono width={220} value={text} onChange={type} placeholder={valueText(setting.default)} />
  );
}

interface DeviceProps {
  id: string;
  label: string;
  state: ReturnType<typeof frameState>;
  describedBy: string | undefined;
  text: string;
  form: Form;
  onChange: (device: string) => void;
}

/** What the trainer can run on; a device of another machine stays as it was entered. */
function DeviceSelect({ id, label, state, describedBy, text, form, onChange }: DeviceProps) {
  const listed = form.devices.map(({ id: device, name, memoryGib }) => ({
    value: device,
    label: `${device}, ${name}${memoryGib === null ? '' : `, ${memoryGib.toFixed(1)} GiB`}`,
  }));
  const options = [{ value: 'auto', label: 'auto, a GPU where there is one' }, ...listed];
  if (!options.some(({ value }) => value === text))
    options.push({ value: text, label: `${text}, not on this machine` });
  return (
    <Select {...{ id, label, state, describedBy }} width={320} options={options} value={text} onChange={onChange} />
  );
}
