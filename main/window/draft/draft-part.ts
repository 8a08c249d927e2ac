/** Everything behind the New run form. What takes seconds is done in a thread of its own; what changes at every key is answered at once. */
import { AppError } from '../../contract/errors.ts';
import type { DraftRequest, LaunchAnswer, RecipeForm, TryAnswer } from '../../contract/window/draft.ts';
import type { Handlers } from '../../contract/window/requests.ts';
import { recipes } from '../../recipes/index.ts';
import { CallThread, type CallHooks } from '../../threads/calls.ts';
import { threadEntry } from '../../threads/entry.ts';
import { logoutWarning } from '../../trainer/logout.ts';
import { discardRunFolder } from '../../trainer/run-folder.ts';
import { locateTrainer } from '../../trainer/spawn.ts';
import { hasEvents, notStarted, startRun, waitForStart } from '../../trainer/start-run.ts';
import { estimateSeconds, tryRun } from '../../trainer/try-run.ts';
import { expandHome } from '../expand-home.ts';
import type { Part } from '../part.ts';
import type { PartContext } from '../services.ts';
import { checkDraft } from './check-draft.ts';
import { demoDraft } from './demo-draft.ts';
import { Devices } from './devices.ts';
import type { DraftFunctions } from './draft-functions.ts';
import { draftFromRun } from './from-run.ts';
import { listModels } from './models.ts';
import { pasteCommand } from './paste-command.ts';
import { launchable, resolveRequest } from './resolve-request.ts';

type DraftContext = Pick<PartContext, 'environment' | 'jobs'> & {
  keeper: { look: (folder: string) => Promise<unknown> };
};

export function recipeForms(): RecipeForm[] {
  return Object.values(recipes).map(({ id, title, settings, groups, presets, families }) => ({
    id,
    title,
    settings: [...settings],
    groups: groups.map((group) => ({ title: group.title, settings: [...group.settings] })),
    presets: { ...presets },
    families: [...families],
  }));
}

export function draftPart({ environment, jobs, keeper }: DraftContext): Part<'draft'> {
  const thread = new CallThread<DraftFunctions>(() => threadEntry('draft'));
  const devices = new Devices(environment);
  const named = { ...environment };
  const wish = (request: DraftRequest) => ({
    request: launchable(request, environment),
    model: resolveRequest(request).request.model,
    environment: named,
  });

  const handlers: Part<'draft'>['handlers'] = {
    'draft.recipes': recipeForms,
    'draft.models': () => listModels(environment),
    'draft.demo': () => demoDraft(),
    'draft.fromRun': ({ run }) => draftFromRun(run, environment),
    'draft.paste': ({ text }) => pasteCommand(text, environment),
    'draft.check': ({ request }) => checkDraft(request, environment, devices),
    'draft.pool': ({ job, rowsFolders }) =>
      jobs.run(job, (hooks) => thread.call('pool', { folders: poolFolders(rowsFolders), environment: named }, hooks)),
    'draft.census': ({ job, request }) => jobs.run(job, (hooks) => thread.call('census', wish(request), hooks)),
    'draft.try': ({ job, request }) => jobs.run(job, (hooks) => tryDraft(request, hooks)),
    'draft.launch': ({ job, request }) => jobs.run(job, (hooks) => launchDraft(request, hooks)),
  } satisfies Partial<Handlers>;

  async function tryDraft(request: DraftRequest, hooks: Required<CallHooks>): Promise<TryAnswer> {
    locateTrainer(environment);
    const asked = wish(request);
    let planned: Awaited<ReturnType<DraftFunctions['planInto']>> | undefined;
    const { tried } = await tryRun(
      async (folder) => {
        planned = await thread.call('planInto', { ...asked, folder }, hooks);
        hooks.onProgress('trying the longest rows', 0, 0);
        return planned.file;
      },
      { environment, signal: hooks.signal },
    );
    return {
      ...tried,
      time: Date.now() / 1000,
      estimateSeconds: planned ? estimateSeconds(planned.roles, planned.ranks, tried.rows) : null,
    };
  }

  async function launchDraft(request: DraftRequest, hooks: Required<CallHooks>): Promise<LaunchAnswer> {
    const asked = wish(request);
    if (asked.request.ranks > 1)
      throw new AppError(
        'ranks-unsupported',
        `this version trains with one process, not with ${asked.request.ranks}`,
        'Set the number of ranks to 1.',
      );
    const { folder, run } = await thread.call('create', asked, hooks);
    if (hooks.signal.aborted) {
      discardRunFolder(folder);
      hooks.signal.throwIfAborted();
    }
    hooks.onProgress('starting the trainer', 0, 0);
    const running = await startRun(folder, run, { resume: false, environment });
    // One that failed with a word of its own is a run: its page says why it failed. One without a word is none.
    if (!(await waitForStart(folder, running)) && !hasEvents(folder, running.offset)) {
      const fault = notStarted(folder);
      discardRunFolder(folder);
      throw fault;
    }
    // Its page is asked for at once, and the keeper's own look comes once a second. The run is at work whether it can be looked at or not.
    await keeper.look(folder).catch(() => undefined);
    return { run: run.id, name: run.name, folder, warning: logoutWarning()?.replace(/^note: /, '') ?? null };
  }

  return { handlers, close: () => thread.close() };
}

/** Absolute, ~ expanded. Throws AppError `relative-path`. */
function poolFolders(folders: readonly string[]): string[] {
  const { problems } = resolveRequest({
    ...{ recipe: '', settings: {}, model: '/', processor: null, rowsFolders: [...folders] },
    ...{ output: null, name: null, allowBad: 0, ranks: 1, episodeIdsFile: null },
  });
  const [problem] = problems;
  if (problem) throw new AppError(problem.code, problem.message, problem.hint ?? undefined);
  return folders.map((folder) => expandHome(folder));
}
