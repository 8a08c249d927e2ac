import { describe, expect, it } from 'vitest';
import { choiceOf, chosenFamilies, presetOf, shownFamilies, toggled } from './families.ts';
import { fixedSettings } from './fixed.ts';

const presets = { pooled: ['A', 'B', 'C'], drag: ['A'], rest: ['B', 'C'], planner: ['planner'] };

describe('families', () => {
  it('are the preset, or the list', () => {
    expect(chosenFamilies({ adapter: 'rest' }, presets)).toEqual(['B', 'C']);
    expect(chosenFamilies({ families: ['Other'] }, presets)).toEqual(['Other']);
    expect(chosenFamilies({ adapter: 'gone' }, presets)).toEqual([]);
    expect(chosenFamilies({}, presets)).toEqual([]);
  });

  it('become the preset that they are, whatever their order, else a list', () => {
    expect(choiceOf(['C', 'B'], presets)).toEqual({ adapter: 'rest', families: undefined });
    expect(choiceOf(['A', 'B'], presets)).toEqual({ adapter: undefined, families: ['A', 'B'] });
    expect(choiceOf([], presets)).toEqual({ adapter: undefined, families: undefined });
    expect(presetOf(['A', 'A'], presets)).toBe('drag');
  });

  it('go back and forth: every preset is found again by its families', () => {
    for (const [name, families] of Object.entries(presets)) expect(choiceOf(families, presets).adapter).toBe(name);
  });

  it('tick and untick in the order that is shown', () => {
    expect(toggled(['C'], 'A', ['A', 'B', 'C'])).toEqual(['A', 'C']);
    expect(toggled(['A', 'C'], 'C', ['A', 'B', 'C'])).toEqual(['A']);
    expect(toggled(['elsewhere'], 'A', ['A'])).toEqual(['A', 'elsewhere']);
  });

  it('are shown with their rows: known ones, those of the rows, those of a preset, those chosen', () => {
    const pool = [
      { name: 'B', rows: 5 },
      { name: 'Other', rows: 2 },
    ];
    expect(shownFamilies(['A', 'B', 'C'], pool, ['X'], presets)).toEqual([
      { name: 'A', rows: 0 },
      { name: 'B', rows: 5 },
      { name: 'C', rows: 0 },
      { name: 'Other', rows: 2 },
      { name: 'planner', rows: 0 },
      { name: 'X', rows: 0 },
    ]);
    expect(shownFamilies(['A'], null, [], {})).toEqual([{ name: 'A', rows: null }]);
  });
});

describe('settings that another field decides', () => {
  const settings = { beta: 0.1, initAdapter: null, rank: 16, alpha: 32 };
  const check = {
    ...{ problems: [], name: '', output: '', model: null, command: [] },
    initAdapter: { path: '/a', rank: 64, alpha: 128, base: 'b', tensors: 2 },
  };

  it('anchor ratio without an anchor', () => {
    expect(fixedSettings(settings, null)).toEqual({});
    expect(fixedSettings({ ...settings, beta: 0 }, null)).toEqual({ anchorRatio: 'no anchor rows: beta is 0' });
  });

  it("rank and alpha once they are the initial adapter's, not before", () => {
    expect(fixedSettings({ ...settings, initAdapter: '/a' }, check)).toEqual({});
    expect(Object.keys(fixedSettings({ ...settings, initAdapter: '/a', rank: 64, alpha: 128 }, check))).toEqual([
      'rank',
      'alpha',
    ]);
    expect(fixedSettings({ ...settings, rank: 64, alpha: 128 }, check)).toEqual({});
  });
});
