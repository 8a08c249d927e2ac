import { describe, expect, it } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import { readFlags } from '../flags.ts';
import { webmixFlags } from './flags.ts';
import { parseWebmixSettings, webmixSettings } from './settings.ts';

const noFile = (file: string): string => {
  throw new Error(`read ${file}`);
};
const read = (line: string, readText = noFile) => readFlags(webmixFlags, line === '' ? [] : line.split(' '), readText);

describe('flags', () => {
  it('of the Python trainer and of ours, one for every setting', () => {
    const seed =
      '--adapter --epochs --lr --rank --alpha --grad-accum --beta --anchor-ratio --limit --max-steps --out --rows-dir --seed ' +
      '--wandb-project --ce-on --exclude-variants --frac --episode-ids --init-adapter --drop-done --save-every';
    expect(webmixFlags.map((flag) => flag.flag)).toEqual(expect.arrayContaining(seed.split(' ')));
    const set = webmixFlags.flatMap(({ target }) => ('setting' in target ? [target.setting] : []));
    expect(set).toEqual(webmixSettings.map((setting) => setting.name));
  });

  it('read as argparse reads them', () => {
    const line =
      '--adapter drag --epochs 2 --lr=5e-5 --rank 64 --alpha 128 --beta .1 --anchor-ratio 0.25 --init-adapter /a/pooled ' +
      '--rows-dir /rows --out /out --drop-done --exclude-variants recovery,chain --max 100 --wandb-project x --grad-accum 1_6';
    const { settings, run } = read(line);
    expect(run).toEqual({ rowsDir: '/rows', out: '/out', wandbProject: 'x' });
    expect(parseWebmixSettings(settings)).toMatchObject({
      adapter: 'drag',
      epochs: 2,
      lr: 5e-5,
      rank: 64,
      alpha: 128,
      beta: 0.1,
      anchorRatio: 0.25,
      initAdapter: '/a/pooled',
      dropDone: true,
      excludeVariants: ['recovery', 'chain'],
      maxSteps: 100,
      gradAccum: 16,
      frac: 1,
    });
    expect(read('')).toEqual({ settings: {}, run: {} });
    expect(read('--no-recompute').settings).toEqual({ recompute: false });
  });

  it('read episode lists from their file', () => {
    const files: string[] = [];
    const { settings } = read('--episode-ids ids.txt', (file) => {
      files.push(file);
      return 'a b\n\nc\n';
    });
    expect(files).toEqual(['ids.txt']);
    expect(settings).toEqual({ episodeIds: ['a', 'b', 'c'] });
  });

  it('let nan and inf through to the settings, which refuse them by name', () => {
    expect(() => parseWebmixSettings({ adapter: 'drag', ...read('--lr nan').settings })).toThrow('lr has to be');
    expect(() => parseWebmixSettings({ adapter: 'drag', ...read('--lr inf').settings })).toThrow('not Infinity');
  });

  it.each([
    ['--learning-rate 1', 'unknown-flag', 'there is no flag --learning-rate'],
    ['--a drag', 'unknown-flag', '--a can be more than one flag'],
    ['drag', 'unknown-flag', 'there is no flag drag'],
    ['--rank', 'bad-flag', '--rank needs a value (R)'],
    ['--rank 1.5', 'bad-flag', '--rank has to be a whole number, not "1.5"'],
    ['--lr fast', 'bad-flag', '--lr has to be a number, not "fast"'],
    ['--lr 0x10', 'bad-flag', 'not "0x10"'],
    ['--drop-done=1', 'bad-flag', '--drop-done takes no value'],
  ])('refuse %s', (line, code, message) => {
    try {
      read(line);
    } catch (error) {
      expect(error).toBeInstanceOf(AppError);
      expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
      return;
    }
    throw new Error('was taken');
  });
});
