/**
 * What a plan has to fulfil beyond its shape: columns of one length, indices in range, names that exist, an order that is sorted. The trainer checks the same
 * again; here a fault is found before a child is started, and in plans that people write by hand.
 */
import { AppError } from '../contract/errors.ts';
import type { Plan, PlanAction, PlanOrder } from '../contract/plan.ts';

/** Throws AppError `plan-inconsistent`. @param file what to call the plan in the message. */
export function checkPlan(plan: Plan, file = 'plan'): void {
  const fail = (message: string): never => {
    throw new AppError(
      'plan-inconsistent',
      `${file}: ${message}`,
      'docs/formats/plan.md says what a plan has to fulfil.',
    );
  };
  const rows = plan.rows.row.length;
  checkLengths('rows', plan.rows, rows, fail);
  checkRange('rows.dataset', plan.rows.dataset, plan.datasets.length, fail);
  checkRange('rows.group', plan.rows.group, plan.groups.length, fail);
  if (!plan.adapters.default) fail('adapters has no "default", the one that is trained');
  for (const role of plan.roles)
    if (role.term === 'k3' && role.reference !== null && !plan.adapters[role.reference])
      fail(`role ${role.name} has the reference ${role.reference}, which is no adapter of the plan`);
  for (const [name, { rows: list }] of Object.entries(plan.evaluations)) {
    checkRange(`evaluations.${name}.rows`, list, rows, fail);
    if (list.length === 0) fail(`evaluations.${name} has no rows`);
  }
  const valCe = plan.output.meta?.val_ce;
  if (valCe && !plan.evaluations[valCe]) fail(`output.meta.val_ce names ${valCe}, which is no evaluation`);
  plan.phases.forEach((phase, i) => {
    const where = `phases[${i}]`;
    checkOrder(plan, phase.order, phase.steps, `${where}.order`, fail);
    checkActions(plan, phase.actions, phase.order.row.length, `${where}.actions`, fail);
  });
}

type Fail = (message: string) => never;

function checkLengths(name: string, columns: Record<string, readonly unknown[]>, length: number, fail: Fail): void {
  for (const [column, list] of Object.entries(columns))
    if (list.length !== length) fail(`${name}.${column} has ${list.length} entries, ${name}.row ${length}`);
}

function checkRange(name: string, list: readonly number[], end: number, fail: Fail): void {
  const bad = list.findIndex((value) => value >= end);
  if (bad >= 0) fail(`${name}[${bad}] is ${list[bad] ?? '?'}, but there are ${end}`);
}

function checkOrder(plan: Plan, order: PlanOrder, steps: number, where: string, fail: Fail): void {
  checkLengths(where, { ...order }, order.row.length, fail);
  checkRange(`${where}.row`, order.row, plan.rows.row.length, fail);
  checkRange(`${where}.role`, order.role, plan.roles.length, fail);
  checkRange(`${where}.rank`, order.rank, plan.ranks, fail);
  checkRange(`${where}.step`, order.step, steps, fail);
  let expected = 0;
  order.step.forEach((step, i) => {
    if (step < expected - 1) fail(`${where}.step[${i}] is ${step}, after ${expected - 1}: it has to be sorted`);
    if (step > expected) fail(`${where}.step[${i}] is ${step}, but step ${expected} has no visit`);
    expected = step + 1;
  });
  if (expected !== steps) fail(`${where} ends at step ${expected - 1}, but steps is ${steps}`);
}

function checkActions(plan: Plan, actions: readonly PlanAction[], visits: number, where: string, fail: Fail): void {
  const saved = new Set<string>();
  let after = 0;
  actions.forEach((action, i) => {
    const name = `${where}[${i}]`;
    if (action.after_rows < after) fail(`${name}.after_rows is ${action.after_rows}, after ${after}: it has to ascend`);
    if (action.after_rows > visits) fail(`${name}.after_rows is ${action.after_rows}, but there are ${visits} visits`);
    after = action.after_rows;
    if (action.save !== undefined && saved.has(action.save)) fail(`${name} saves ${action.save} a second time`);
    if (action.save !== undefined) saved.add(action.save);
    for (const evaluation of action.evaluate ?? [])
      if (!plan.evaluations[evaluation]) fail(`${name} evaluates ${evaluation}, which is no evaluation of the plan`);
  });
}
