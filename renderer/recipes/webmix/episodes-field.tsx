/** The episode list of webmix: a file of task ids. The list itself travels with the draft where a command or a run brought it; then that list counts. */
import type { SettingDescription } from '../../../main/contract/settings.ts';
import { Button } from '../../components/button.tsx';
import { TextInput } from '../../components/text-input.tsx';
import { formatCounted } from '../../format/numbers.ts';
import { FieldLine } from '../../screens/new-run/field-line.tsx';
import { settingLabel } from '../../screens/new-run/fields.ts';
import { fieldId, frameState, problemsId, useFieldProblems, useForm } from '../../screens/new-run/form.ts';
import { useDraft } from '../../stores/draft.ts';

export function EpisodesField({ setting }: { setting: SettingDescription }) {
  const { request } = useForm();
  const { setRequest, setSetting } = useDraft();
  const problems = useFieldProblems(setting.name);
  const listed = request.settings[setting.name];
  const held = Array.isArray(listed) ? listed.length : null;
  const set = held !== null || request.episodeIdsFile !== null;
  return (
    <FieldLine
      name={setting.name}
      label={settingLabel(setting.name)}
      wide
      changedFrom={set ? 'all' : undefined}
      meaning={held === null ? setting.meaning : `${formatCounted(held, 'id')} held in the draft`}
    >
      <TextInput
        id={fieldId(setting.name)}
        label={settingLabel(setting.name)}
        mono
        width={320}
        state={frameState(problems, false)}
        describedBy={problems.length > 0 ? problemsId(setting.name) : undefined}
        placeholder={held === null ? 'all; or a file of task ids' : 'the list came from no file'}
        value={request.episodeIdsFile ?? ''}
        onChange={(text) => {
          // Another file is another list.
          setSetting(setting.name, undefined);
          setRequest({ episodeIdsFile: text === '' ? null : text });
        }}
      />
      {set && (
        <Button
          small
          label="Train on all episodes"
          onPress={() => {
            setSetting(setting.name, undefined);
            setRequest({ episodeIdsFile: null });
          }}
        >
          All
        </Button>
      )}
    </FieldLine>
  );
}
