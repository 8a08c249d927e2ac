/** The services as a transport carries them, on a data folder of their own, for tests: everything goes through `dispatch`, so what crosses is what a window gets. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { PushName, RequestName } from '../../contract/window/names.ts';
import type { WireError } from '../../contract/window/reply.ts';
import type { RequestAnswer, RequestInput } from '../../contract/window/requests.ts';
import { dispatch } from '../dispatch.ts';
import { createServices, type Services } from '../services.ts';
import { fakeTrainer } from '../../trainer/testing/made-run.ts';

export interface OpenedWindow {
  services: Services;
  /** Bugs of ours: empty in a good test. */
  reports: unknown[];
  pushes: { name: PushName; payload: unknown }[];
  /** The answer; a fault is thrown as its WireError. */
  ask: <Name extends RequestName>(name: Name, input: RequestInput<Name>) => Promise<RequestAnswer<Name>>;
  /** The fault that is expected. */
  refused: <Name extends RequestName>(name: Name, input: RequestInput<Name>) => Promise<WireError>;
}

export function openWindow(environment: Record<string, string | undefined>): OpenedWindow {
  const reports: unknown[] = [];
  const pushes: OpenedWindow['pushes'] = [];
  const services = createServices({
    ...{ host: { carrier: 'serve' }, environment },
    report: (error) => void reports.push(error),
  });
  services.subscribe((name, payload) => void pushes.push({ name, payload }));
  return {
    ...{ services, reports, pushes },
    async ask(name, input) {
      const reply = await dispatch(services, name, input);
      if (!reply.ok) throw Object.assign(new Error(reply.error.message), reply.error);
      return reply.value as RequestAnswer<typeof name>;
    },
    async refused(name, input) {
      const reply = await dispatch(services, name, input);
      if (reply.ok) throw new Error(`${name} was answered: ${JSON.stringify(reply.value)}`);
      return reply.error;
    },
  };
}

export interface TestData {
  folder: string;
  runs: string;
  environment: Record<string, string | undefined>;
  remove: () => void;
}

/** A new data folder, with the fake trainer. */
export function testData(added: Record<string, string> = {}): TestData {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'whetstone-window-'));
  return {
    folder,
    runs: path.join(folder, 'runs'),
    environment: {
      ...process.env,
      ...{ WHETSTONE_DATA: folder, WHETSTONE_DATABASE: undefined, WHETSTONE_TRAINER: fakeTrainer(folder) },
      ...added,
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export async function until(holds: () => boolean | Promise<boolean>, seconds = 20): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`waited ${seconds} s in vain`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
