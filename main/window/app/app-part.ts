/** Requests about the app itself, the machine, folders of the host, and long requests that are under way. They work without a history too. */
import { existsSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { AppError } from '../../contract/errors.ts';
import type { AppInfo } from '../../contract/window/app.ts';
import { dataFolder, projectFolder } from '../../paths.ts';
import type { Part } from '../part.ts';
import type { PartContext } from '../services.ts';
import { listFolder } from './folders.ts';
import { checkMachine } from './machine-check.ts';

function version(): string {
  try {
    const described = JSON.parse(readFileSync(path.join(projectFolder, 'package.json'), 'utf8')) as {
      version?: unknown;
    };
    return typeof described.version === 'string' ? described.version : '?';
  } catch {
    return '?';
  }
}

const demoFiles = ['demo/model/config.json', 'demo/rows'];

export function appPart(context: PartContext): Part<'app' | 'machine' | 'folders' | 'job'> {
  const { host, environment, jobs, keeper } = context;
  const own = version();

  async function info(): Promise<AppInfo> {
    await keeper.ready();
    return {
      version: own,
      carrier: host.carrier,
      host: os.hostname(),
      platform: process.platform,
      dataFolder: dataFolder(environment),
      home: os.homedir(),
      folderDialog: host.pickFolder !== undefined,
      demo: demoFiles.every((file) => existsSync(path.join(projectFolder, file))),
      historyProblem: keeper.problem,
      now: Date.now() / 1000,
    };
  }

  return {
    handlers: {
      'app.info': info,
      async 'app.retryHistory'() {
        await keeper.retry();
        return info();
      },
      async 'machine.check'() {
        await keeper.ready();
        return checkMachine(environment, keeper.problem);
      },
      'folders.list': ({ folder }) => listFolder(folder),
      'folders.pick'({ title, from }) {
        if (!host.pickFolder)
          throw new AppError(
            'no-dialog',
            'there is no dialog for folders in a browser',
            'Browse the folders in the window, or enter a path.',
          );
        return host.pickFolder(title, from);
      },
      'job.cancel': ({ job }) => ({ cancelled: jobs.cancel(job) }),
    },
  };
}
