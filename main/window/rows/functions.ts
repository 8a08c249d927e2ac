/** What the rows thread does: it holds opened pools and processors, so that reading 30,000 rows and tokenising never stop the main process. */
import type {
  EpisodeItem,
  Page,
  PoolEntry,
  RowDetail,
  RowFilter,
  RowImage,
  RowItem,
} from '../../contract/window/rows.ts';
import type { CallContext } from '../../threads/calls.ts';
import type { Facts } from './opened-pool.ts';
import { OpenedPools, type PoolSource } from './opened-pools.ts';
import { PoolsOfRuns } from './pools-of-runs.ts';
import { Processors } from './processors.ts';
import { noSuchRow, rowDetail, type AskedModel } from './row-detail.ts';
import { readRowImage } from './row-image.ts';

interface PageInput {
  source: PoolSource;
  filter: RowFilter;
  from: number;
  count: number;
}

interface RowInput {
  source: PoolSource;
  episode: string;
  line: number;
}

// A type, not an interface: only a type has the index signature that ThreadFunctions asks for.
export type RowsFunctions = {
  open: (input: { source: PoolSource }, context: CallContext) => Promise<Facts>;
  poolsOfRuns: (input: { runsFolder: string }) => PoolEntry[];
  episodes: (input: PageInput, context: CallContext) => Promise<Page<EpisodeItem>>;
  list: (input: PageInput, context: CallContext) => Promise<Page<RowItem>>;
  read: (input: RowInput & { filter: RowFilter; model: AskedModel }, context: CallContext) => Promise<RowDetail>;
  image: (input: RowInput & { image: number }, context: CallContext) => Promise<RowImage>;
};

export function rowsFunctions(): RowsFunctions {
  const pools = new OpenedPools();
  const processors = new Processors();
  const poolsOfRuns = new PoolsOfRuns();
  return {
    poolsOfRuns: ({ runsFolder }) => poolsOfRuns.list(runsFolder),
    async open({ source }, { progress, signal }) {
      const opened = await pools.refresh(source, {
        signal,
        onProgress: ({ episodes, ofEpisodes }) => progress('reading rows', episodes, ofEpisodes),
      });
      return opened.facts(source.address);
    },
    async episodes({ source, filter, from, count }, { signal }) {
      return (await pools.get(source, { signal })).episodes(filter, from, count);
    },
    async list({ source, filter, from, count }, { signal }) {
      return (await pools.get(source, { signal })).list(filter, from, count);
    },
    async read({ source, ...request }, { signal }) {
      const opened = await pools.get(source, { signal });
      return rowDetail(opened, { address: source.address, ...request }, (folder) => processors.open(folder));
    },
    async image({ source, episode, line, image }, { signal }) {
      const opened = await pools.get(source, { signal });
      const { row } = opened.find(episode, line) ?? noSuchRow(opened, episode, line);
      return readRowImage(row, image);
    },
  };
}
