import { beforeEach, describe, expect, it, vi } from 'vitest';
import { draftOf, emptyRequest, readDraft, readKeptAt, sentRequest, useDraft } from './draft.ts';

const memory = new Map<string, string>();
beforeEach(() => {
  memory.clear();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => memory.get(key) ?? null,
    setItem: (key: string, value: string) => void memory.set(key, value),
  });
  useDraft.getState().reset();
});
const kept = () => readDraft([...memory.values()][0] ?? null);

describe('the draft', () => {
  it('is kept with every change, and reads back', () => {
    useDraft.getState().setSetting('lr', 5e-5, '0.00005');
    expect(useDraft.getState().keptAt).not.toBeNull();
    expect(kept()).toMatchObject(draftOf(useDraft.getState()));
    expect(readKeptAt([...memory.values()][0] ?? null)).toBe(useDraft.getState().keptAt);
    expect(kept()?.request.settings).toEqual({ lr: 5e-5 });
    expect(kept()?.texts).toEqual({ lr: '0.00005' });
  });

  it('says when it cannot be kept', () => {
    vi.stubGlobal('localStorage', {
      setItem() {
        throw new Error('full');
      },
    });
    useDraft.getState().setRequest({ model: 'x' });
    expect(useDraft.getState().keptAt).toBeNull();
    expect(useDraft.getState().request.model).toBe('x');
  });

  it('holds only what was set, and forgets the typed text with the value', () => {
    const { setSetting, setSettings } = useDraft.getState();
    setSetting('lr', 5e-5, '5e-5');
    setSetting('lr', undefined);
    expect(useDraft.getState().request.settings).toEqual({});
    expect(useDraft.getState().texts).toEqual({});
    setSettings({ adapter: 'drag', families: undefined });
    setSetting('rank', 8, '08');
    setSettings({ rank: 64 });
    expect(useDraft.getState().request.settings).toEqual({ adapter: 'drag', rank: 64 });
    expect(useDraft.getState().texts).toEqual({});
  });

  it('can be put back after it was filled or reset', () => {
    useDraft.getState().setSetting('lr', 5e-5, '5e-5');
    const before = draftOf(useDraft.getState());
    useDraft.getState().fill({ ...emptyRequest(), model: 'm', rowsFolders: [] }, { kind: 'command' }, ['model'], ['n']);
    expect(useDraft.getState().request.rowsFolders).toEqual(['']);
    useDraft.getState().restore(before);
    expect(draftOf(useDraft.getState())).toEqual(before);
  });

  it('sends no empty folders', () => {
    expect(sentRequest({ ...emptyRequest(), rowsFolders: ['', '/a', ' '] }).rowsFolders).toEqual(['/a']);
  });

  it.each([null, '', '{', '[]', '{"request":{}}', '{"request":{"recipe":1},"texts":{},"start":{}}'])(
    'takes nothing damaged from storage: %j',
    (text) => expect(readDraft(text)).toBeNull(),
  );
});
