/** The demo as a draft. Its flags stand in demo/flags.json, which `npm run demo` reads too; paths there are within the demo's folder. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../../contract/errors.ts';
import type { DraftRequest } from '../../contract/window/draft.ts';
import { projectFolder } from '../../paths.ts';
import { readRunFlags } from '../../trainer/run-flags.ts';

/** Throws AppError `no-demo` where it was not installed. */
export function demoDraft(folder: string = path.join(projectFolder, 'demo')): DraftRequest {
  const file = path.join(folder, 'flags.json');
  if (!existsSync(file) || !existsSync(path.join(folder, 'model', 'config.json')))
    throw new AppError('no-demo', `the demo is not there: ${folder}`, 'It comes with the source of Whetstone.');
  const { flags } = JSON.parse(readFileSync(file, 'utf8')) as { flags: string[] };
  const { request } = readRunFlags(flags);
  const inDemo = (each: string): string => path.join(folder, each);
  return {
    ...request,
    model: inDemo(request.model),
    rowsFolders: request.rowsFolders.map(inDemo),
    output: null,
    name: null,
  };
}
