/** Everything that is wrong with the draft, in the order of the form: what holds the launch, and what is only to be known. */
import type {
  DraftCheck,
  DraftField,
  DraftProblem,
  DraftRequest,
  PoolFacts,
} from '../../../main/contract/window/draft.ts';
import type { SettingDescription } from '../../../main/contract/settings.ts';
import { fieldFault } from './fields.ts';

export interface Fault {
  code: string;
  message: string;
  hint: string | null;
}

/** Of the census, which has no field: it stands in the column of what will be trained. */
export const censusField = 'census';

export interface ProblemSources {
  request: DraftRequest;
  settings: readonly SettingDescription[];
  order: readonly DraftField[];
  check: DraftCheck | null;
  /** Of the folders that are in the form now. */
  pool: PoolFacts | null;
  poolFault: Fault | null;
  censusFault: Fault | null;
}

/** Says nothing about what was entered, so it holds no launch. */
const passing = new Set(['disconnected', 'cancelled', 'internal']);

/** Fields of the request that a setting's control edits. */
const drawnAt: Readonly<Record<string, DraftField>> = { episodeIdsFile: 'episodeIds' };

const error = (field: DraftField, { code, message, hint }: Fault): DraftProblem => ({
  ...{ field, code, message, hint },
  severity: 'error',
  repair: null,
});

/** How many rows cannot be read beyond those that were let through; 0: none holds the launch. */
export function unreadRows(request: DraftRequest, pool: PoolFacts | null): number {
  return pool !== null && pool.badCount > request.allowBad ? pool.badCount : 0;
}

export function collectProblems(sources: ProblemSources): DraftProblem[] {
  const { request, settings, order, check, pool, poolFault, censusFault } = sources;
  const found: DraftProblem[] = [];
  for (const setting of settings) {
    const fault = fieldFault(setting, request.settings);
    if (fault) found.push(error(setting.name, { code: 'no-number', ...fault }));
  }
  const local = new Set(found.map(({ field }) => field));
  const unread = unreadRows(request, pool);
  if (unread > 0)
    found.push(
      error('rowsFolders', {
        code: 'bad-rows',
        message: `${unread} ${unread === 1 ? 'row' : 'rows'} cannot be read`,
        hint: null,
      }),
    );
  // What the form says itself is not said twice.
  for (const problem of check?.problems ?? [])
    if (!local.has(problem.field) && !(unread > 0 && problem.code === 'bad-rows')) found.push(problem);
  const folderFaults = found.some(({ field, severity }) => field === 'rowsFolders' && severity === 'error');
  if (poolFault && !passing.has(poolFault.code) && !folderFaults) found.push(error('rowsFolders', poolFault));
  if (censusFault && !passing.has(censusFault.code) && !found.some(({ severity }) => severity === 'error'))
    found.push(error(censusField, censusFault));
  const place = (field: DraftField): number => {
    const index = order.indexOf(field);
    return index < 0 ? order.length : index;
  };
  return found
    .map((problem, index) => ({ problem: { ...problem, field: drawnAt[problem.field] ?? problem.field }, index }))
    .sort((a, b) => place(a.problem.field) - place(b.problem.field) || a.index - b.index)
    .map(({ problem }) => problem);
}

/** The state of a field's frame: its worst problem, else whether it differs from the default. */
export function worst(problems: readonly DraftProblem[]): 'error' | 'warning' | null {
  if (problems.some(({ severity }) => severity === 'error')) return 'error';
  return problems.some(({ severity }) => severity === 'warning') ? 'warning' : null;
}
