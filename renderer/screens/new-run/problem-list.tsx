/** What is wrong with a field, in place: what and where, then what to do, as a button where a change would settle it. */
import type { DraftProblem } from '../../../main/contract/window/draft.ts';
import { Button } from '../../components/button.tsx';
import { Say } from '../../components/say.tsx';
import { useDraft } from '../../stores/draft.ts';
import { BadRows } from './bad-rows.tsx';
import { useForm } from './form.ts';
import { settingLabel } from './fields.ts';
import { sentence } from '../../format/sentence.ts';

const kinds = { error: 'bad', warning: 'warning', info: 'info' } as const;

function applyRepair(repair: NonNullable<DraftProblem['repair']>): void {
  const { setRequest, setSettings } = useDraft.getState();
  if (repair.request) {
    const { settings, ...rest } = repair.request;
    if (settings) setSettings(settings);
    setRequest(rest);
  }
  if (repair.settings) setSettings(repair.settings);
}

export function ProblemList({ problems }: { problems: readonly DraftProblem[] }) {
  const names = useForm().recipe.settings.flatMap(({ name }) => [name, settingLabel(name)]);
  return problems.map((problem, index) =>
    problem.code === 'bad-rows' && problem.field === 'rowsFolders' && problem.hint === null ? (
      <BadRows key={`${problem.code} ${index}`} title={problem.message} />
    ) : (
      <Say
        key={`${problem.code} ${index}`}
        kind={kinds[problem.severity]}
        title={problem.severity === 'info' ? undefined : sentence(problem.message, names)}
      >
        {problem.severity === 'info' && `${sentence(problem.message, names)} `}
        {problem.hint}{' '}
        {problem.repair && (
          <Button
            small
            onPress={() => {
              if (problem.repair) applyRepair(problem.repair);
            }}
          >
            {problem.repair.label}
          </Button>
        )}
      </Say>
    ),
  );
}
