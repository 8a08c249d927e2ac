/**
 * From settings and rows to a plan: a pure function in two halves. `prepareWebmix` selects rows and draws the order, which needs no token and says which rows have
 * to be encoded; `planWebmix` puts token counts to it and gives the plan and its census.
 *
 * Rows of the plan are those that are visited or evaluated, in pool order. The coefficient of a visit makes a row's loss its mean over weighted targets, whatever
 * its length, and the step's loss the mean over accumulated rows and ranks: weight of the role / (accumulation x ranks x sum of the row's weights).
 */
/* eslint-disable @typescript-eslint/no-non-null-assertion -- indices come from the pool itself */
import type { Census } from '../../contract/census.ts';
import { AppError } from '../../contract/errors.ts';
import type { Plan, PlanAction, PlanAdapter, PlanOrder, PlanRole } from '../../contract/plan.ts';
import type { EncodedRow, Pool, PoolRow } from '../../contract/pool.ts';
import type { Draft, PlanTarget } from '../recipe.ts';
import { takeCensus } from './census.ts';
import { ceRole, drawOrder, klRole } from './draw.ts';
import type { Draw } from './draw.ts';
import { endSet, epochSet, evaluationSets, hashRowKeys, heldOutSet } from './evaluations.ts';
import { sortedLikePython } from './families.ts';
import { metaFields, metaFileName } from './meta.ts';
import { selectRows } from './select.ts';
import type { Selection } from './select.ts';
import { parseWebmixSettings } from './settings.ts';
import type { WebmixSettings, WebmixSettingsInput } from './settings.ts';

/** Leaf names of the adapted layers, in the language model only. */
export const targetLeaves = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'];

const anchorAdapter = 'anchor';
const actionColumn = 'action';
const finalCheckpoint = 'final';
/** d = log p_ref - log p is cut to this before use. */
const klClamp: [number, number] = [-20, 8];
const warmupShare = 0.03;
/** Of the log, in row visits a rank. */
const logEveryRows = 50;

export interface WebmixDraft extends Draft {
  settings: WebmixSettings;
  pool: Pool;
  ranks: number;
  selection: Selection;
  draw: Draw;
  /** Evaluation sets that the run evaluates, as indices into the pool. */
  sets: ReadonlyMap<string, readonly number[]>;
  actions: readonly PlanAction[];
  /** Indices into the pool of `neededRows`; index i is row i of the plan. */
  planRows: readonly number[];
}

/** Throws AppError: those of the settings, unknown-family, episodes-not-found, no-rows, too-many-ranks, no-visits, too-many-visits. */
export function prepareWebmix(input: WebmixSettingsInput | WebmixSettings, pool: Pool, ranks: number): WebmixDraft {
  const settings = parseWebmixSettings(input);
  if (!Number.isSafeInteger(ranks) || ranks < 1)
    throw new AppError('bad-setting', `the number of ranks has to be a whole number of 1 or more, not ${ranks}`);
  const selection = selectRows(settings, pool);
  const draw = drawOrder({ ...settings, ce: selection.ce, anchors: selection.anchors, ranks });
  const all = evaluationSets(selection.heldOut, settings.heldOutRows);
  const actions = planActions(draw, all);
  const evaluated = new Set(actions.flatMap((action) => action.evaluate ?? []));
  const sets = new Map([...all].filter(([name]) => evaluated.has(name)));
  const used = new Set(draw.order.row);
  for (const rows of sets.values()) for (const row of rows) used.add(row);
  const planRows = [...used].sort((a, b) => a - b);
  const neededRows = planRows.map((index) => pool.rows[index]!);
  return { settings, pool, ranks, selection, draw, sets, actions, planRows, neededRows };
}

/** Saves and evaluations. Two saves at one place are of the same weights: they are evaluated once, under the first one's name. */
function planActions(draw: Draw, sets: ReadonlyMap<string, readonly number[]>): PlanAction[] {
  const there = (...names: string[]): Pick<PlanAction, 'evaluate'> => {
    const evaluate = names.filter((name) => sets.has(name));
    return evaluate.length > 0 ? { evaluate } : {};
  };
  const actions: PlanAction[] = [];
  const start = there(heldOutSet);
  if (start.evaluate) actions.push({ after_rows: 0, ...start });
  let evaluatedAt = 0;
  for (const save of draw.saves) {
    const names = evaluatedAt === save.afterRows ? [] : [heldOutSet];
    if (save.kind === 'epoch') names.push(epochSet);
    actions.push({ after_rows: save.afterRows, save: save.name, ...there(...names) });
    evaluatedAt = save.afterRows;
  }
  actions.push({ after_rows: draw.order.row.length, save: finalCheckpoint, ...there(heldOutSet, endSet) });
  return actions;
}

/** Name of a row in messages and charts. */
export const rowName = (row: PoolRow): string => `${row.episode}/rows.jsonl:${row.line}`;

/** Throws AppError `not-encoded` when `target.encoded` lacks one of the draft's needed rows. */
export function planWebmix(draft: WebmixDraft, target: PlanTarget): { plan: Plan; census: Census } {
  const { settings, selection, draw, ranks } = draft;
  const encoded = encodedRows(draft, target);
  const planRowOf = new Map(draft.planRows.map((poolRow, i) => [poolRow, i]));
  const toPlanRow = (poolRow: number): number => planRowOf.get(poolRow)!;
  const hasAnchor = settings.initAdapter !== null && settings.beta > 0;
  const roles = planRoles(settings, hasAnchor);
  const plan: Plan = {
    format: 'whetstone-plan',
    version: 1,
    recipe: 'webmix',
    name: target.name,
    settings: { ...settings },
    model: { ...target.model, dtype: settings.dtype },
    adapters: planAdapters(settings, hasAnchor),
    roles,
    ...planTables(draft, encoded),
    ranks,
    phases: [
      {
        kind: 'train',
        steps: draw.steps.real,
        order: planOrder(draft, roles, encoded, toPlanRow),
        actions: [...draft.actions],
      },
    ],
    optimizer: {
      kind: 'adamw',
      lr: settings.lr,
      betas: [0.9, 0.999],
      eps: 1e-8,
      weight_decay: 0,
      clip_norm: 1,
    },
    schedule: {
      kind: 'warmup_cosine',
      warmup_steps: Math.max(1, Math.trunc(warmupShare * draw.steps.planned)),
      total_steps: draw.steps.planned,
    },
    evaluations: Object.fromEntries(
      [...draft.sets].map(([name, rows]) => [
        name,
        { rows: rows.map(toPlanRow), hash: hashRowKeys(rows.map((row) => draft.pool.rows[row]!.key)) },
      ]),
    ),
    output: {
      folder: target.paths.output,
      log: { file: 'train_log.jsonl', every_rows: logEveryRows * ranks },
      meta: {
        file: metaFileName,
        fields: metaFields(settings, selection, draw, ranks, target),
        val_ce: draft.sets.has(endSet) ? endSet : null,
      },
    },
    execution: {
      device: settings.device === 'auto' ? target.hardware.device : settings.device,
      threads: settings.threads ?? target.hardware.threads,
      recompute: settings.recompute,
      dropout_seed: settings.seed,
      resume_every_seconds: 600,
      resume_keep: 2,
    },
  };
  const census = takeCensus(draft, plan, encoded);
  census.warnings.push(...(target.warnings ?? []));
  return { plan, census };
}

/** By row of the plan. */
function encodedRows(draft: WebmixDraft, target: PlanTarget): EncodedRow[] {
  const missing: string[] = [];
  const rows: EncodedRow[] = [];
  for (const row of draft.neededRows) {
    const found = target.encoded(row);
    if (found) rows.push(found);
    else missing.push(rowName(row));
  }
  if (missing.length > 0)
    throw new AppError(
      'not-encoded',
      `${missing.length} of ${draft.neededRows.length} rows are not encoded, e.g. ${missing.slice(0, 3).join(', ')}`,
      'Encode the rows of the plan first.',
    );
  return rows;
}

function planAdapters(settings: WebmixSettings, hasAnchor: boolean): Plan['adapters'] {
  const { rank, alpha, initAdapter } = settings;
  const shape = { rank, alpha, branch_dtype: settings.branchDtype, targets: [...targetLeaves] };
  const load = (path: string): PlanAdapter['init'] => ({ kind: 'load', path });
  const adapters: Plan['adapters'] = {
    default: {
      ...shape,
      dropout: settings.dropout,
      init: initAdapter === null ? { kind: 'peft', seed: settings.seed } : load(initAdapter),
    },
  };
  if (hasAnchor && initAdapter !== null) adapters[anchorAdapter] = { ...shape, dropout: 0, init: load(initAdapter) };
  return adapters;
}

/** Both roles always, so that the log has both keys as the Python trainer's has. */
function planRoles(settings: WebmixSettings, hasAnchor: boolean): PlanRole[] {
  const roles: PlanRole[] = [];
  roles[ceRole] = { name: 'ce', term: 'cross_entropy', weights: settings.ceOn === 'action' ? actionColumn : null };
  roles[klRole] = {
    name: 'kl',
    term: 'k3',
    weights: actionColumn,
    reference: hasAnchor ? anchorAdapter : null,
    clamp: klClamp,
  };
  return roles;
}

function planTables(draft: WebmixDraft, encoded: readonly EncodedRow[]): Pick<Plan, 'datasets' | 'rows' | 'groups'> {
  const datasets = [...new Set(encoded.map((row) => row.file))];
  const groups = sortedLikePython(new Set(draft.neededRows.map((row) => row.family)));
  const datasetAt = new Map(datasets.map((file, i) => [file, i]));
  const groupAt = new Map(groups.map((family, i) => [family, i]));
  const rows = {
    dataset: encoded.map((row) => datasetAt.get(row.file)!),
    row: encoded.map((row) => row.row),
    name: draft.neededRows.map(rowName),
    group: draft.neededRows.map((row) => groupAt.get(row.family)!),
  };
  return { datasets, rows, groups };
}

/** How many targets of a row a role weighs; at least 1, as the Python trainer divides. */
export const weightSum = (role: PlanRole, row: EncodedRow): number =>
  role.weights === null ? row.targets : Math.max(1, row.actionTargets);

function planOrder(
  draft: WebmixDraft,
  roles: readonly PlanRole[],
  encoded: readonly EncodedRow[],
  toPlanRow: (poolRow: number) => number,
): PlanOrder {
  const { draw, settings, ranks } = draft;
  const row = draw.order.row.map(toPlanRow);
  const share = draw.accumulation * ranks;
  const coefficient = row.map((planRow, i) => {
    const role = draw.order.role[i]!;
    return (role === klRole ? settings.beta : 1) / (share * weightSum(roles[role]!, encoded[planRow]!));
  });
  return { ...draw.order, row, coefficient };
}
