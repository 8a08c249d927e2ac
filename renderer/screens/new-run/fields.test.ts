import { describe, expect, it } from 'vitest';
import type { SettingDescription } from '../../../main/contract/settings.ts';
import { fieldFault, fieldText, isChanged, numberText, readNumber, settingLabel, valueFromText } from './fields.ts';

const lr: SettingDescription = { name: 'lr', kind: 'number', flag: '--lr', default: 1e-4, meaning: '' };
const threads: SettingDescription = { name: 'threads', kind: 'integer', flag: '--threads', default: null, meaning: '' };
const ids: SettingDescription = {
  ...{ name: 'episodeIds', kind: 'list', flag: '--episode-ids', metavar: 'FILE', default: null, meaning: '' },
};
const names: SettingDescription = { name: 'names', kind: 'list', flag: '--names', default: [], meaning: '' };

describe('numbers as text', () => {
  it('writes every number so that it reads back', () => {
    for (const value of [0, 1, 1e-4, 5e-5, 1.25e-7, 0.05, 0.25, 16, 5000, 123456, 1e21, -3, 2 ** 53])
      expect(readNumber(numberText(value))).toBe(value);
    expect([1e-4, 5e-5, 0.05, 5000].map(numberText)).toEqual(['1e-4', '5e-5', '0.05', '5000']);
  });

  it.each(['0.1.2', '5,000', '1e', 'x', '', 'NaN', 'Infinity', '1e999', '0x10', '1 2', '--1'])(
    '%j is no number',
    (text) => expect(readNumber(text)).toBeNull(),
  );

  it.each([
    [' 5e-5 ', 5e-5],
    ['.5', 0.5],
    ['2.', 2],
    ['+3', 3],
    ['1E-4', 1e-4],
  ])('%j is a number', (text, value) => expect(readNumber(text)).toBe(value));
});

describe('a field of a number', () => {
  it('keeps what is no number as the text that it is, so that it is refused and never a default', () => {
    expect(valueFromText(lr, '0.1.2')).toBe('0.1.2');
    expect(fieldFault(lr, { lr: '0.1.2' })).toEqual({
      message: 'lr is not a number: 0.1.2',
      hint: 'Write it as in 1e-4 or 0.0001',
    });
    expect(fieldFault(lr, { lr: valueFromText(lr, ' ') })?.message).toBe('lr is empty');
    expect(fieldFault(lr, {})).toBeNull();
  });

  it('takes the setting out at its default, and is empty where none is the default', () => {
    expect(valueFromText(lr, '0.0001')).toBeUndefined();
    expect(valueFromText(threads, '')).toBeUndefined();
    expect(valueFromText(threads, '4')).toBe(4);
    expect(fieldText(threads, {}, {})).toBe('');
  });

  it('shows what was typed, else the value', () => {
    expect(fieldText(lr, { lr: 1e-5 }, { lr: '0.00001' })).toBe('0.00001');
    expect(fieldText(lr, { lr: 1e-5 }, {})).toBe('1e-5');
    expect(fieldText(lr, {}, {})).toBe('1e-4');
  });
});

describe('other fields', () => {
  it('reads lists: ids by white space, names by commas', () => {
    expect(valueFromText(ids, ' a\nb  c\n')).toEqual(['a', 'b', 'c']);
    expect(valueFromText(ids, ' \n')).toBeUndefined();
    expect(valueFromText(names, 'Drag & gesture, Text entry,')).toEqual(['Drag & gesture', 'Text entry']);
    expect(fieldText(ids, { episodeIds: ['a', 'b'] }, {})).toBe('a\nb');
  });

  it('counts as changed by value', () => {
    expect(isChanged(lr, { lr: 1e-4 })).toBe(false);
    expect(isChanged(lr, { lr: 1e-5 })).toBe(true);
    expect(isChanged(names, { names: [] })).toBe(false);
  });

  it('is called as on the command line', () => {
    expect(['anchorRatio', 'ceOn', 'lr'].map(settingLabel)).toEqual(['anchor-ratio', 'ce-on', 'lr']);
  });
});
