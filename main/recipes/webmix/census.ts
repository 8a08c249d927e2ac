/** Counts what a webmix plan will do, from the plan itself, and warns of what people are surprised by afterwards. */
/* eslint-disable @typescript-eslint/no-non-null-assertion -- indices come from the plan itself */
import type { Census, CensusFamily, CensusRole, CensusWarning } from '../../contract/census.ts';
import type { Plan } from '../../contract/plan.ts';
import type { EncodedRow } from '../../contract/pool.ts';
import { customAdapterName, sortedLikePython } from './families.ts';
import type { WebmixDraft } from './plan.ts';
import { webmixSettings } from './settings.ts';

/** How many names of rows with a fallback mask are listed. */
const listedFallbacks = 10;

export function takeCensus(draft: WebmixDraft, plan: Plan, encoded: readonly EncodedRow[]): Census {
  const { settings, selection, draw, ranks } = draft;
  const { order, steps, actions } = plan.phases[0]!;
  const counts = countVisits(plan, encoded);
  const trained = [...new Set(order.row)].sort((a, b) => a - b);
  const fallbacks = trained.filter((row) => encoded[row]!.fallback !== null);
  const reasons: Record<string, number> = {};
  for (const row of fallbacks) {
    const reason = encoded[row]!.fallback!;
    reasons[reason] = (reasons[reason] ?? 0) + 1;
  }
  const withImages = trained.filter((row) => draft.neededRows[row]!.images.length > 0);
  const sum = (rows: readonly number[], of: (row: number) => number): number => rows.reduce((s, row) => s + of(row), 0);
  const weighsAction = (role: number): boolean => plan.roles[role]!.weights !== null;
  const census: Census = {
    recipe: plan.recipe,
    adapter: settings.adapter ?? customAdapterName,
    families: countFamilies(draft),
    poolRows: draft.pool.rows.length,
    ceRows: draw.ceRows,
    anchorPool: selection.anchors.length,
    anchorRowsPerEpoch: draw.anchorRows,
    heldOutRows: selection.heldOut.length,
    filters: [...selection.filters],
    rowsPerEpoch: draw.rowsPerEpoch,
    epochs: settings.epochs,
    epochsBegun: (order.epoch.at(-1) ?? -1) + 1,
    visits: order.row.length,
    ranks,
    accumulation: draw.accumulation,
    effectiveBatch: draw.accumulation * ranks,
    steps: { planned: draw.steps.planned, real: steps },
    warmupSteps: plan.schedule.kind === 'warmup_cosine' ? plan.schedule.warmup_steps : 0,
    roles: counts.roles,
    tokens: counts.tokens,
    fallback: {
      rows: fallbacks.length,
      matters: order.row.some((row, i) => weighsAction(order.role[i]!) && encoded[row]!.fallback !== null),
      reasons,
      first: fallbacks.slice(0, listedFallbacks).map((row) => plan.rows.name[row]!),
    },
    images: {
      rowsWith: withImages.length,
      images: sum(withImages, (row) => draft.neededRows[row]!.images.length),
      tokens: sum(withImages, (row) => encoded[row]!.imageTokens),
    },
    evaluations: Object.entries(plan.evaluations).map(([name, set]) => ({
      name,
      rows: set.rows.length,
      hash: set.hash,
      times: actions.filter((action) => action.evaluate?.includes(name)).length,
    })),
    checkpoints: actions.flatMap((action) =>
      action.save === undefined ? [] : [{ name: action.save, afterRows: action.after_rows }],
    ),
    warnings: [],
  };
  census.warnings = [...selection.warnings, ...warn(draft, census)];
  return census;
}

function countVisits(plan: Plan, encoded: readonly EncodedRow[]): Pick<Census, 'roles' | 'tokens'> {
  const { order } = plan.phases[0]!;
  const roles = plan.roles.map((role): CensusRole => ({
    name: role.name,
    visits: 0,
    rows: 0,
    supervisedTokens: 0,
    tokens: 0,
    longest: null,
    fallback: role.weights === null ? null : 0,
    zero: 0,
  }));
  const seen = plan.roles.map(() => new Set<number>());
  const tokens = { total: 0, firstEpoch: 0 };
  order.row.forEach((row, i) => {
    const at = encoded[row]!;
    const role = order.role[i]!;
    const count = roles[role]!;
    count.visits += 1;
    count.tokens += at.tokens;
    count.supervisedTokens += plan.roles[role]!.weights === null ? at.targets : at.actionTargets;
    seen[role]!.add(row);
    if (count.longest === null || at.tokens > count.longest.tokens)
      count.longest = { row, name: plan.rows.name[row]!, tokens: at.tokens, targets: at.targets };
    tokens.total += at.tokens;
    if (order.epoch[i] === 0) tokens.firstEpoch += at.tokens;
  });
  roles.forEach((role, i) => {
    const byAction = plan.roles[i]!.weights !== null;
    const rows = [...seen[i]!].map((row) => encoded[row]!);
    role.rows = rows.length;
    role.zero = rows.filter((row) => (byAction ? row.actionTargets : row.targets) === 0).length;
    if (byAction) role.fallback = rows.filter((row) => row.fallback !== null).length;
  });
  return { roles, tokens };
}

function countFamilies({ selection, pool }: WebmixDraft): CensusFamily[] {
  const own = new Set(selection.wantedFamilies);
  const families = new Map<string, CensusFamily>();
  for (const name of sortedLikePython(new Set([...selection.familyRows.keys(), ...own])))
    families.set(name, {
      name,
      own: own.has(name),
      rows: selection.familyRows.get(name) ?? 0,
      ce: 0,
      anchors: 0,
      heldOut: 0,
    });
  for (const column of ['ce', 'anchors', 'heldOut'] as const)
    for (const row of selection[column]) families.get(pool.rows[row]!.family)![column] += 1;
  return [...families.values()];
}

function warn(draft: WebmixDraft, census: Census): CensusWarning[] {
  const { settings, selection, draw, ranks, pool } = draft;
  const warnings: CensusWarning[] = [];
  const add = (when: boolean, code: string, message: string): void => {
    if (when) warnings.push({ code, message });
  };
  const { planned, real } = draw.anchorRows;
  const defaultRatio = webmixSettings.find((setting) => setting.name === 'anchorRatio')!.default;

  add(pool.bad.length > 0, 'bad-rows', `${pool.bad.length} rows that cannot be used are left out`);
  add(
    settings.beta > 0 && selection.anchors.length === 0,
    'no-anchors',
    'beta is set, but there are no rows of other families to anchor on: the run is CE only',
  );
  add(
    settings.beta > 0 && selection.anchors.length > 0 && planned === 0,
    'no-anchors',
    `beta is set, but an anchor ratio of ${settings.anchorRatio} gives no anchor rows: the run is CE only`,
  );
  add(
    planned > real,
    'anchors-short',
    `${planned} anchor rows an epoch are asked for, but the pool has ${real}: an epoch is shorter than planned, the total is reached by further epochs`,
  );
  add(
    settings.beta === 0 && settings.anchorRatio !== defaultRatio,
    'setting-ignored',
    `anchorRatio ${settings.anchorRatio} has no effect with beta 0`,
  );
  add(settings.frac > 1, 'setting-ignored', `frac ${settings.frac} keeps every episode, as 1 does`);
  add(
    settings.initAdapter !== null && settings.beta > 0,
    'reference-without-dropout',
    'anchor rows compare with the initial adapter without dropout (the Python trainer leaves its dropout on)',
  );
  add(
    census.effectiveBatch !== settings.gradAccum,
    'batch-differs',
    `gradAccum ${settings.gradAccum} is no multiple of ${ranks} ranks: an optimizer step has ${census.effectiveBatch} rows`,
  );
  const cut = (draw.ceRows + real) % ranks;
  add(cut > 0, 'rows-cut', `${cut} rows of every epoch are left out, since ${ranks} ranks take the same number each`);
  add(
    census.steps.planned !== census.steps.real,
    'steps-differ',
    `the schedule is computed for ${census.steps.planned} optimizer steps, ${census.steps.real} happen (rows left over at the end of an epoch go into the next step)`,
  );
  add(
    !draw.saves.some((save) => save.kind === 'epoch'),
    'no-epoch-checkpoint',
    'the run ends within its first epoch: it has no checkpoint of an epoch, and no held-out CE of one',
  );
  add(
    census.heldOutRows === 0,
    'no-held-out',
    "no row of the adapter's families is held out: there will be no held-out CE, and val_ce is null",
  );
  const unmeasured = census.families.filter((family) => family.own && family.ce > 0 && family.heldOut === 0);
  add(
    census.heldOutRows > 0 && unmeasured.length > 0,
    'families-not-held-out',
    `no row is held out of ${unmeasured.map((family) => family.name).join(', ')}: held-out CE says nothing about it`,
  );
  const reasons = Object.entries(census.fallback.reasons).map(([reason, rows]) => `${reason} ${rows}`);
  add(
    census.fallback.matters,
    'fallback-masks',
    `${census.fallback.rows} rows count every target as action (${reasons.join(', ')}), e.g. ${census.fallback.first[0] ?? ''}`,
  );
  return warnings;
}
