import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { AppError } from './contract/errors.ts';
import { dataFolder, databaseFile, ensureFolder, findProjectFolder, projectFolder, runsFolder } from './paths.ts';

const scratch = mkdtempSync(path.join(os.tmpdir(), 'whetstone-paths-'));
afterAll(() => rmSync(scratch, { recursive: true }));

const caught = (work: () => unknown): AppError => {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

describe('the data folder', () => {
  it('is WHETSTONE_DATA where that is set', () => {
    expect(dataFolder({ WHETSTONE_DATA: '/x/y' })).toBe('/x/y');
    expect(runsFolder({ WHETSTONE_DATA: '/x/y' })).toBe('/x/y/runs');
  });

  it("is the platform's place otherwise", () => {
    expect(dataFolder({}, 'linux', '/home/u')).toBe('/home/u/.local/share/whetstone');
    expect(dataFolder({ XDG_DATA_HOME: '/data' }, 'linux', '/home/u')).toBe('/data/whetstone');
    expect(dataFolder({ XDG_DATA_HOME: 'relative' }, 'linux', '/home/u')).toBe('/home/u/.local/share/whetstone');
    expect(dataFolder({}, 'darwin', '/Users/u')).toBe('/Users/u/Library/Application Support/Whetstone');
  });

  it('can have its database elsewhere', () => {
    expect(databaseFile({ WHETSTONE_DATA: '/x' })).toBe('/x/whetstone.db');
    expect(databaseFile({ WHETSTONE_DATA: '/x', WHETSTONE_DATABASE: '/local/w.db' })).toBe('/local/w.db');
  });
});

describe('the project folder', () => {
  it('is the repository, from the sources and from the bundle', () => {
    expect(findProjectFolder('/home/u/whetstone/main')).toBe('/home/u/whetstone');
    expect(findProjectFolder('/home/u/whetstone/.vite/build')).toBe('/home/u/whetstone');
    for (const part of ['package.json', 'demo/rows'])
      expect(existsSync(path.join(projectFolder, part)), part).toBe(true);
  });

  it('is the resources folder of a packaged app, for the main process and its threads, which lie beside the archive', () => {
    expect(findProjectFolder('/opt/Whetstone/resources/app.asar/.vite/build')).toBe('/opt/Whetstone/resources');
    expect(findProjectFolder('/opt/Whetstone/resources/app.asar.unpacked/.vite/build')).toBe(
      '/opt/Whetstone/resources',
    );
    expect(findProjectFolder('/home/build/app.asarium/main')).toBe('/home/build/app.asarium');
  });
});

describe('ensureFolder', () => {
  it('makes a folder and those above it', () => {
    const folder = ensureFolder(path.join(scratch, 'a', 'b'));
    expect(statSync(folder).isDirectory()).toBe(true);
  });

  it('says what is in the way', () => {
    writeFileSync(path.join(scratch, 'file'), '');
    const error = caught(() => ensureFolder(path.join(scratch, 'file', 'runs')));
    expect(error.code).toBe('folder-not-writable');
    expect(error.message).toContain(path.join(scratch, 'file', 'runs'));
    expect(error.hint).toContain('WHETSTONE_DATA');
  });

  it('refuses a file system that cannot be written to', () => {
    // /proc is read-only for everybody, root included.
    const error = caught(() => ensureFolder('/proc/whetstone'));
    expect(error.code).toBe('folder-not-writable');
  });
});
