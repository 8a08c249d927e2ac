/** What has to hold of a desktop window whatever it was built by: the contract over the bridge, worker threads included, and nothing beside the bridge. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { AppInfo } from '../main/contract/window/app.ts';
import type { PoolFacts } from '../main/contract/window/draft.ts';
import type { RequestName } from '../main/contract/window/names.ts';
import type { Bridge, Reply } from '../main/contract/window/reply.ts';
import type { OpenPool, Page as RowsPage, RowDetail, RowImage, RowItem } from '../main/contract/window/rows.ts';
import type { RequestInput } from '../main/contract/window/requests.ts';
import { emptyFilter } from '../main/contract/window/rows.ts';

declare const whetstoneBridge: Bridge;

/** The envelope, as the page gets it. Typed arrays do not survive the way from the page to the test. */
export function callFrom(page: Page, name: string, input: unknown): Promise<Reply> {
  return page.evaluate(([asked, given]) => whetstoneBridge.call(asked, given), [name, input] as const);
}

/** The answer; fails when the request was refused. */
export async function askFrom<Answer>(page: Page, name: RequestName, input: unknown): Promise<Answer> {
  const reply = await callFrom(page, name, input);
  if (!reply.ok) throw new Error(`${name}: ${reply.error.message} (${reply.error.hint ?? ''})`);
  return reply.value as Answer;
}

/** `demo`: folder with the demo's model and rows that the app should know. */
export function bridgeTests(current: () => Page, demo: string): void {
  test('answers requests, and knows where its own files are', async () => {
    const info = await askFrom<AppInfo>(current(), 'app.info', {});
    expect(info).toMatchObject({ carrier: 'electron', folderDialog: true, demo: true, historyProblem: null });
    const draft = await askFrom<RequestInput<'draft.check'>['request']>(current(), 'draft.demo', {});
    expect(draft.model).toBe(`${demo}/model`);
  });

  test('refuses what is not in the contract, and says what was wrong', async () => {
    expect(await callFrom(current(), 'files.read', { path: '/etc/passwd' })).toMatchObject({
      ok: false,
      error: { code: 'no-such-request' },
    });
    expect(await callFrom(current(), 'runs.get', { run: 5 })).toMatchObject({
      ok: false,
      error: { code: 'bad-request', message: expect.stringContaining('run') as string },
    });
    const missing = await callFrom(current(), 'runs.get', { run: 'nowhere' });
    expect(missing.ok).toBe(false);
    const { error } = missing as Extract<Reply, { ok: false }>;
    expect(error.code).not.toBe('internal');
    expect(error.message).toContain('nowhere');
  });

  test('reads rows in a working thread, and pushes how far it is', async () => {
    const { facts, pushes } = await current().evaluate(async (rows) => {
      const heard: unknown[] = [];
      const stop = whetstoneBridge.on('job.progress', (payload) => heard.push(payload));
      const reply = await whetstoneBridge.call('draft.pool', { job: 'e2e-pool', rowsFolders: [rows] });
      stop();
      return { facts: reply, pushes: heard };
    }, `${demo}/rows`);
    expect(facts).toMatchObject({ ok: true });
    expect(((facts as { value: unknown }).value as PoolFacts).rows).toBeGreaterThan(100);
    expect(pushes.length).toBeGreaterThan(0);
    expect(pushes[0]).toMatchObject({ job: 'e2e-pool' });
  });

  test('encodes a row with the native tokenizer, and carries its picture as bytes', async () => {
    const page = current();
    const which = { folders: [`${demo}/rows`] };
    const { pool } = await askFrom<OpenPool>(page, 'rows.open', { job: 'e2e-rows', which });
    const list = await askFrom<RowsPage<RowItem>>(page, 'rows.list', { pool, filter: emptyFilter, from: 0, count: 1 });
    const item = list.items[0];
    if (!item) throw new Error('the demo has no rows');
    const row = { pool, episode: item.episode, line: item.line };
    const target = await page.evaluate(
      async (input) => {
        const reply = await whetstoneBridge.call('rows.read', input);
        if (!reply.ok) return reply.error;
        const { tokens, fault, target: text } = reply.value as RowDetail;
        return tokens
          ? {
              isIds: tokens.ids instanceof Int32Array,
              text: tokens.texts.join('').includes(text),
              action: tokens.action.includes(1),
            }
          : fault;
      },
      { ...row, model: `${demo}/model` },
    );
    expect(target).toEqual({ isIds: true, text: true, action: true });
    const picture = await page.evaluate(
      async (input) => {
        const reply = await whetstoneBridge.call('rows.image', input);
        if (!reply.ok) return reply.error;
        const { type, bytes } = reply.value as RowImage;
        return { type, isBytes: bytes instanceof Uint8Array, start: String.fromCharCode(...bytes.slice(1, 4)) };
      },
      { ...row, image: 0 },
    );
    expect(picture).toEqual({ type: 'image/png', isBytes: true, start: 'PNG' });
  });

  test('the page has the bridge and nothing else of Node or Electron', async () => {
    const found = await current().evaluate(() => {
      const kinds = ['require', 'process', 'module', 'Buffer', 'global', 'ipcRenderer', 'electron'].map(
        (name) => typeof (globalThis as Record<string, unknown>)[name],
      );
      return {
        kinds: [...new Set(kinds)],
        bridge: Object.keys(whetstoneBridge),
        frozen: Object.isFrozen(whetstoneBridge),
      };
    });
    expect(found).toEqual({ kinds: ['undefined'], bridge: ['call', 'on'], frozen: true });
    await expect(current().evaluate(() => whetstoneBridge.on('anything', () => undefined))).rejects.toThrow('no push');
  });
}
