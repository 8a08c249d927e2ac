/**
 * What webmix_meta.json says about a run: the keys of the Python trainer, for the tools that read them, and a few of ours. The trainer adds rows_trained, val_ce
 * and minutes at the end.
 */
import type { PlanTarget } from '../recipe.ts';
import type { Draw } from './draw.ts';
import { customAdapterName } from './families.ts';
import type { Selection } from './select.ts';
import type { WebmixSettings } from './settings.ts';

export const metaFileName = 'webmix_meta.json';

/** The settings under argparse's names, in its order, as `vars(args)` gave them. */
export function argparseArguments(settings: WebmixSettings, paths: PlanTarget['paths']): Record<string, unknown> {
  const [folder, ...more] = paths.rowsFolders;
  return {
    adapter: settings.adapter ?? customAdapterName,
    epochs: settings.epochs,
    lr: settings.lr,
    rank: settings.rank,
    alpha: settings.alpha,
    grad_accum: settings.gradAccum,
    beta: settings.beta,
    anchor_ratio: settings.anchorRatio,
    limit: settings.limit,
    max_steps: settings.maxSteps,
    out: paths.output,
    rows_dir: more.length > 0 ? paths.rowsFolders : (folder ?? null),
    seed: settings.seed,
    wandb_project: '',
    ce_on: settings.ceOn,
    exclude_variants: settings.excludeVariants.join(','),
    frac: settings.frac,
    episode_ids: paths.episodeIdsFile ?? settings.episodeIds,
    init_adapter: settings.initAdapter,
    drop_done: settings.dropDone,
    save_every: settings.saveEvery,
  };
}

export function metaFields(
  settings: WebmixSettings,
  selection: Selection,
  draw: Draw,
  ranks: number,
  target: Pick<PlanTarget, 'model' | 'paths'>,
): Record<string, unknown> {
  return {
    adapter: settings.adapter ?? customAdapterName,
    families: selection.wantedFamilies,
    base_model: target.model.name,
    ce_rows: draw.ceRows,
    anchor_pool: selection.anchors.length,
    args: argparseArguments(settings, target.paths),
    anchor_rows_per_epoch: draw.anchorRows.planned,
    val_rows: selection.heldOut.length,
    rows_total: draw.order.row.length,
    optimizer_steps: draw.steps.planned,
    optimizer_steps_done: draw.steps.real,
    gpus: ranks,
    effective_batch: draw.accumulation * ranks,
    base_revision: target.model.revision,
    dropout: settings.dropout,
    branch_dtype: settings.branchDtype,
  };
}
