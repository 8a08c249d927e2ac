/**
 * What a plan will do, in numbers that a person can check before it starts. The window and `whetstone plan` show it; it is computed from the plan itself, so it
 * cannot say anything else than what will happen.
 */
import { z } from 'zod';

const count = z.int().nonnegative();
const plannedAndReal = z.object({ planned: count, real: count });

export const censusWarningSchema = z.object({ code: z.string(), message: z.string() });

/** Rows that a filter removed, counted at the first filter that removes them. */
export const censusFilterSchema = z.object({ name: z.string(), meaning: z.string(), rows: count });

export const censusFamilySchema = z.object({
  name: z.string(),
  /** Whether it is one of the adapter's own. */
  own: z.boolean(),
  /** In the pool, injected rows and their prefixes left out. */
  rows: count,
  /** After all filters, before the limit is drawn for `ce`. */
  ce: count,
  anchors: count,
  heldOut: count,
});

export const censusRoleSchema = z.object({
  name: z.string(),
  /** Row visits, over all epochs. */
  visits: count,
  /** Different rows among them. */
  rows: count,
  /** Target tokens with a weight, over all visits. */
  supervisedTokens: count,
  /** Tokens of the sequences, over all visits. */
  tokens: count,
  /** `row` is an index into the plan's rows. */
  longest: z.object({ row: count, name: z.string(), tokens: count, targets: count }).nullable(),
  /** Different rows whose weights count every target since the action was not found; null: the role does not weigh by action. */
  fallback: count.nullable(),
  /** Different rows without a single weighted token: they are visited and teach nothing. */
  zero: count,
});

export const censusSchema = z.object({
  recipe: z.string(),
  adapter: z.string(),
  families: z.array(censusFamilySchema),
  poolRows: count,
  /** After the limit. */
  ceRows: count,
  anchorPool: count,
  anchorRowsPerEpoch: plannedAndReal,
  /** Of the adapter's families, after the filters that apply to them. */
  heldOutRows: count,
  filters: z.array(censusFilterSchema),
  rowsPerEpoch: plannedAndReal,
  /** As set; may be fractional. */
  epochs: z.number(),
  /** Epochs that are begun. */
  epochsBegun: count,
  /** Row visits in all. */
  visits: count,
  ranks: count,
  /** Rows a rank and optimizer step. */
  accumulation: count,
  /** Rows an optimizer step over all ranks: accumulation x ranks. */
  effectiveBatch: count,
  steps: plannedAndReal,
  warmupSteps: count,
  roles: z.array(censusRoleSchema),
  tokens: z.object({ total: count, firstEpoch: count }),
  /** Training rows whose action column is 1 everywhere because the action could not be located. `matters`: whether a role weighs by it. */
  fallback: z.object({
    rows: count,
    matters: z.boolean(),
    reasons: z.record(z.string(), count),
    first: z.array(z.string()),
  }),
  /** Over the different training rows. */
  images: z.object({ rowsWith: count, images: count, tokens: count }),
  evaluations: z.array(z.object({ name: z.string(), rows: count, hash: z.string(), times: count })),
  checkpoints: z.array(z.object({ name: z.string(), afterRows: count })),
  warnings: z.array(censusWarningSchema),
});

export type Census = z.infer<typeof censusSchema>;
export type CensusFilter = z.infer<typeof censusFilterSchema>;
export type CensusFamily = z.infer<typeof censusFamilySchema>;
export type CensusRole = z.infer<typeof censusRoleSchema>;
export type CensusWarning = z.infer<typeof censusWarningSchema>;
