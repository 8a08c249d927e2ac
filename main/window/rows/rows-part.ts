/** Browsing rows: which pools are known is kept here, everything else happens in the rows thread. */
import { AppError } from '../../contract/errors.ts';
import type { PoolEntry } from '../../contract/window/rows.ts';
import { findModel } from '../../model/find-model.ts';
import { cacheFolder, dataFolder, ensureFolder, runsFolder } from '../../paths.ts';
import { CallThread } from '../../threads/calls.ts';
import { threadEntry } from '../../threads/entry.ts';
import type { Part } from '../part.ts';
import type { PartContext } from '../services.ts';
import type { RowsFunctions } from './functions.ts';
import { KnownPools } from './known-pools.ts';
import type { PoolSource } from './opened-pools.ts';
import { poolAddress, realFolder } from './pool-address.ts';
import { faultOf, type AskedModel } from './row-detail.ts';

type RowsContext = Pick<PartContext, 'environment' | 'jobs' | 'report'>;

export function rowsPart({ environment, jobs, report }: RowsContext): Part<'rows'> {
  const thread = new CallThread<RowsFunctions>(() => threadEntry('rows'));
  const known = new KnownPools(dataFolder(environment), (message) => report(new Error(message)));

  /** Opened ones first, last opened first; then those of recorded runs. */
  const pools = async (): Promise<PoolEntry[]> => {
    const ofRuns = await thread.call('poolsOfRuns', { runsFolder: runsFolder(environment) });
    const opened = new Set(known.list.map(({ pool }) => pool));
    return [...known.list, ...ofRuns.filter(({ pool }) => !opened.has(pool))];
  };
  const sourceOf = (folders: readonly string[]): PoolSource => ({
    address: poolAddress(folders),
    folders,
    cacheFolder: ensureFolder(cacheFolder(environment)),
  });
  const find = async (pool: string): Promise<PoolSource> => {
    const entry = known.find(pool) ?? (await pools()).find((each) => each.pool === pool);
    if (!entry)
      throw new AppError(
        'no-such-pool',
        `no pool ${pool} is known here`,
        'The link may come from another machine, or the list of opened pools was removed: open the rows folder again.',
      );
    // The address stays the one that was asked for, even where a link among its folders leads elsewhere now.
    return { ...sourceOf(entry.folders), address: pool };
  };

  return {
    handlers: {
      'rows.pools': pools,
      'rows.open': ({ job, which }) =>
        jobs.run(job, async (hooks) => {
          const source = 'pool' in which ? await find(which.pool) : sourceOf(which.folders.map(realFolder));
          const facts = await thread.call('open', { source }, hooks);
          const { opened } = known.remember(source.address, source.folders);
          return { ...facts, opened };
        }),
      'rows.episodes': async ({ pool, ...page }) => thread.call('episodes', { source: await find(pool), ...page }),
      'rows.list': async ({ pool, ...page }) => thread.call('list', { source: await find(pool), ...page }),
      'rows.read': async ({ pool, model, ...row }) =>
        thread.call('read', { source: await find(pool), ...row, model: askedModel(model, environment) }),
      'rows.image': async ({ pool, ...image }) => thread.call('image', { source: await find(pool), ...image }),
    },
    close: () => thread.close(),
  };
}

function askedModel(model: string | null, environment: PartContext['environment']): AskedModel {
  if (model === null)
    return {
      name: null,
      fault: {
        code: 'no-model',
        message: 'no model is chosen, so the row has no tokens',
        hint: 'Choose the model whose tokenizer and chat template are to encode it.',
      },
    };
  try {
    return { name: model, folder: findModel(model, environment).path };
  } catch (error) {
    return { name: model, fault: faultOf(error) };
  }
}
