import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { defaultState, readWindowState, writeWindowState } from './window-state.ts';

const scratch = mkdtempSync(path.join(os.tmpdir(), 'whetstone-window-'));
afterAll(() => rmSync(scratch, { recursive: true }));
const file = path.join(scratch, 'window.json');
const screen = [{ x: 0, y: 0, width: 1920, height: 1080 }];

describe('the place of the window', () => {
  it('comes back as it was', () => {
    const state = { x: 40, y: 20, width: 1300, height: 820, maximized: true };
    writeWindowState(file, state);
    expect(readWindowState(file, screen)).toEqual(state);
  });

  it('keeps its size, but not a place on a screen that is gone', () => {
    writeWindowState(file, { x: 2500, y: 20, width: 1300, height: 820, maximized: false });
    expect(readWindowState(file, screen)).toEqual({ width: 1300, height: 820, maximized: false });
    expect(readWindowState(file, [...screen, { x: 1920, y: 0, width: 1920, height: 1080 }])).toMatchObject({ x: 2500 });
  });

  it('is the default where there is nothing that can be read', () => {
    expect(readWindowState(path.join(scratch, 'none.json'), screen)).toEqual(defaultState);
    for (const text of ['', 'null', '{"width":1e9,"height":5,"maximized":false}']) {
      writeFileSync(file, text);
      expect(readWindowState(file, screen)).toEqual(defaultState);
    }
  });

  it('is given up without a fault where it cannot be written', () => {
    expect(() => writeWindowState(path.join(file, 'below-a-file.json'), defaultState)).not.toThrow();
  });
});
