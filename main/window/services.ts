/**
 * Everything that the window can ask for, put together from its parts. Runs under plain Node: what only a desktop shell can do (its dialogs) comes in
 * through `host`. The transports in main/serve and electron/ carry this and add nothing.
 */
import { EventEmitter } from 'node:events';
import type { Handlers } from '../contract/window/requests.ts';
import type { PushName } from '../contract/window/names.ts';
import type { Pushes, PushSink } from '../contract/window/pushes.ts';
import type { Environment } from '../paths.ts';
import { appPart } from './app/app-part.ts';
import { draftPart } from './draft/draft-part.ts';
import { Jobs } from './jobs.ts';
import { rowsPart } from './rows/rows-part.ts';
import { RunKeeper } from './runs/run-keeper.ts';
import { runsPart } from './runs/runs-part.ts';

export interface WindowHost {
  carrier: 'electron' | 'serve';
  /** The system's dialog for a folder; undefined where there is none. */
  pickFolder?: (title: string, from: string) => Promise<string | null>;
}

export interface ServicesOptions {
  host: WindowHost;
  environment?: Environment;
  /** Gets faults that are bugs. By default: standard error. */
  report?: (error: unknown) => void;
}

export interface Services {
  handlers: Handlers;
  /** Every push from now on; the answer ends it. */
  subscribe: (take: <Name extends PushName>(name: Name, payload: Pushes[Name]) => void) => () => void;
  report: (error: unknown) => void;
  /** Ends following and threads. Runs go on. */
  close: () => Promise<void>;
}

/** What every part gets. */
export interface PartContext {
  host: WindowHost;
  environment: Environment;
  push: PushSink;
  report: (error: unknown) => void;
  jobs: Jobs;
  /** Follows runs and owns the history. */
  keeper: RunKeeper;
}

/** Requests that are answered without a history too: what says that there is none, and what helps to do something about it. */
const withoutHistory = /^(app|machine|folders|job)\./;

/** All others wait for the history and are refused with its problem, so that nothing is begun that could not be found again. */
function withHistory(keeper: RunKeeper, handlers: Handlers): Handlers {
  const guarded = Object.entries(handlers as Record<string, (input: unknown) => unknown>).map(([name, handler]) => [
    name,
    withoutHistory.test(name)
      ? handler
      : async (input: unknown) => {
          await keeper.history();
          return handler(input);
        },
  ]);
  return Object.fromEntries(guarded) as Handlers;
}

export function createServices(options: ServicesOptions): Services {
  const { host, environment = process.env, report = (error) => console.error(error) } = options;
  const bus = new EventEmitter<{ push: [PushName, unknown] }>();
  bus.setMaxListeners(0);
  const push: PushSink = (name, payload) => void bus.emit('push', name, payload);
  const jobs = new Jobs(push);
  const keeper = new RunKeeper({ environment, push, report, carrier: host.carrier });
  const context: PartContext = { host, environment, push, report, jobs, keeper };
  const parts = [appPart(context), runsPart(context), draftPart(context), rowsPart(context)] as const;
  const [app, runs, draft, rows] = parts;
  return {
    handlers: withHistory(keeper, { ...app.handlers, ...runs.handlers, ...draft.handlers, ...rows.handlers }),
    subscribe(take) {
      const listener = take as (name: PushName, payload: unknown) => void;
      bus.on('push', listener);
      return () => bus.off('push', listener);
    },
    report,
    async close() {
      jobs.cancelAll();
      for (const part of parts) await part.close?.();
      keeper.close();
      await keeper.plans.close();
    },
  };
}
