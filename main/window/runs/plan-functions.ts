/** What the plans' thread does: a plan of 800,000 row visits is 20 MB of JSON, a second to read and five to check. */
import { readRegisteredPlan } from '../../trainer/sync.ts';
import { readPlanFacts } from './plan-facts.ts';

export const planFunctions = { readPlanFacts, readRegisteredPlan };
export type PlanFunctions = typeof planFunctions;
