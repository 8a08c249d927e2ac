/** Folders of the host and the machine's check, on machines where things are missing or broken. */
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projectFolder } from '../../paths.ts';
import { openWindow, testData, type OpenedWindow, type TestData } from '../testing/opened-window.ts';
import { describeTrainer } from './machine-check.ts';

let data: TestData;
let window: OpenedWindow;
beforeEach(() => {
  data = testData();
  window = openWindow(data.environment);
});
afterEach(async () => {
  expect(window.reports).toEqual([]);
  await window.services.close();
  data.remove();
});

function program(text: string): string {
  const file = path.join(data.folder, 'program');
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  return file;
}

describe('folders', () => {
  const list = (folder: string) => window.ask('folders.list', { folder });

  it('begin at home, and have no parent at the root', async () => {
    expect((await list('')).folder).toBe(os.homedir());
    expect((await list(' ~/ ')).folder).toBe(os.homedir());
    expect(await list('/')).toMatchObject({ folder: '/', parent: null });
    expect((await list('/')).entries.map(({ name }) => name)).toContain('tmp');
  });

  it('are sorted as people do, hidden ones last, and files are none', async () => {
    for (const name of ['run-10', 'run-9', '.hidden', 'Alpha', 'beta'])
      mkdirSync(path.join(data.folder, 'f', name), { recursive: true });
    writeFileSync(path.join(data.folder, 'f', 'file'), '');
    expect((await list(path.join(data.folder, 'f'))).entries.map(({ name }) => name)).toEqual([
      ...['Alpha', 'beta', 'run-9', 'run-10', '.hidden'],
    ]);
  });

  it('say what they look like', async () => {
    expect(await list(path.join(projectFolder, 'demo'))).toMatchObject({
      looksLike: null,
      entries: expect.arrayContaining([{ name: 'model', looksLike: 'model' }]),
    });
    expect((await list(path.join(projectFolder, 'demo/rows'))).looksLike).toBe('rows');
    expect((await list(path.join(projectFolder, 'demo/model'))).looksLike).toBe('model');
  });

  it('follow links, show them as given, and pass over broken ones and circles', async () => {
    const f = path.join(data.folder, 'f');
    mkdirSync(path.join(f, 'real', 'inner'), { recursive: true });
    symlinkSync('real', path.join(f, 'link'));
    symlinkSync('nowhere', path.join(f, 'broken'));
    symlinkSync('circle', path.join(f, 'circle'));
    expect((await list(f)).entries.map(({ name }) => name)).toEqual(['link', 'real']);
    expect(await list(path.join(f, 'link'))).toMatchObject({
      folder: path.join(f, 'link'),
      parent: f,
      entries: [{ name: 'inner' }],
    });
    expect(await window.refused('folders.list', { folder: path.join(f, 'circle') })).toMatchObject({
      code: 'file-eloop',
    });
  });

  it('of thousands are cut, and say so', async () => {
    const f = path.join(data.folder, 'many');
    mkdirSync(f);
    for (let at = 0; at < 2100; at += 1) mkdirSync(path.join(f, `e${at}`));
    const listing = await list(f);
    expect([listing.entries.length, listing.more]).toEqual([2000, true]);
    expect(listing.entries.at(-1)?.name).toBe('e1999');
  });

  it('that are none are refused with what to do', async () => {
    const file = path.join(data.folder, 'file');
    writeFileSync(file, '');
    expect(await window.refused('folders.list', { folder: file })).toMatchObject({
      code: 'not-a-folder',
      hint: expect.stringContaining(data.folder),
    });
    expect(await window.refused('folders.list', { folder: 'relative/x' })).toMatchObject({
      code: 'folder-not-absolute',
    });
    expect(await window.refused('folders.list', { folder: '/no/such/folder' })).toMatchObject({ code: 'file-enoent' });
    expect(await window.refused('folders.list', { folder: `/${'x'.repeat(300)}` })).toMatchObject({
      code: 'file-enametoolong',
    });
    expect(await window.refused('folders.pick', { title: '', from: '' })).toMatchObject({ code: 'no-dialog' });
  });

  const asAnother = process.getuid?.() === 0 && existsSync('/usr/bin/setpriv');
  it.skipIf(!asAnother && process.getuid?.() === 0)('that may not be read say whose right is missing', async () => {
    const locked = path.join(data.folder, 'locked');
    mkdirSync(path.join(locked, 'inside'), { recursive: true });
    chmodSync(locked, 0o000);
    chmodSync(data.folder, 0o755);
    if (!asAnother) {
      expect(await window.refused('folders.list', { folder: locked })).toMatchObject({ code: 'folder-forbidden' });
      chmodSync(locked, 0o755);
      return;
    }
    const script = `
      import { listFolder } from ${JSON.stringify(path.join(projectFolder, 'main/window/app/folders.ts'))};
      import { checkDraft } from ${JSON.stringify(path.join(projectFolder, 'main/window/draft/check-draft.ts'))};
      const code = await listFolder(${JSON.stringify(locked)}).catch((error) => error.code);
      const request = { recipe: 'webmix', settings: {}, model: '', processor: null, output: '/tmp/none', name: null, allowBad: 0, ranks: 1,
        episodeIdsFile: null, rowsFolders: [${JSON.stringify(locked)}, ${JSON.stringify(path.join(locked, 'inside'))}] };
      const { problems } = await checkDraft(request, { WHETSTONE_DATA: '/tmp/none' }, { cards: async () => 0 });
      console.log(JSON.stringify([code, ...problems.filter((each) => each.field === 'rowsFolders').map((each) => each.code)]));
    `;
    const said = execFileSync(
      'setpriv',
      ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, '--input-type=module', '-e', script],
      { encoding: 'utf8', env: { PATH: process.env['PATH'] } },
    );
    expect(JSON.parse(said)).toEqual(['folder-forbidden', 'rows-folder-unreadable', 'rows-folder-unreadable']);
  });
});

describe('the check of the machine', () => {
  const trainer = async () => (await window.ask('machine.check', {})).items.find(({ name }) => name === 'Trainer');

  it('finds the trainer, a disk and the history', async () => {
    const check = await window.ask('machine.check', {});
    expect(check.items.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Trainer', 'GPU', 'History', 'Data folder']),
    );
    expect(check.devices[0]).toMatchObject({ id: 'cpu' });
    expect(check.disks[0]?.folder).toBe(data.folder);
  });

  it.each([
    ['is not there', () => '/no/such/program', /no program is there/],
    ['says nonsense', () => program('#!/bin/sh\necho hello\n'), /nothing that this version understands/],
    ['misses a library', () => program('#!/bin/sh\necho "libcuda.so.1: cannot open" >&2\nexit 127\n'), /libcuda/],
    ['crashes', () => program('#!/bin/sh\nkill -SEGV $$\n'), /SIGSEGV/],
    ['is no program', () => program('\x7fELF nonsense'), /./],
    ['is a folder', () => data.folder, /./],
  ])('says that the trainer %s', async (_name, make, says) => {
    data.environment['WHETSTONE_TRAINER'] = make();
    const item = await trainer();
    expect(item).toMatchObject({ state: 'bad', text: expect.stringMatching(says) });
    expect(`${item?.text} ${item?.hint}`).not.toMatch(/undefined|\[object|TypeError/);
    expect((await window.ask('machine.check', {})).devices).toEqual([]);
  });

  it('does not wait for ever', async () => {
    const environment = { ...data.environment, WHETSTONE_TRAINER: program('#!/bin/sh\nexec sleep 60\n') };
    await expect(describeTrainer(environment, 300)).rejects.toMatchObject({ code: 'trainer-silent' });
  });
});
