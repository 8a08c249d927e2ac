import { describe, expect, it } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import type { Pool } from '../../contract/pool.ts';
import { prepareWebmix } from './plan.ts';
import type { WebmixSettingsInput } from './settings.ts';
import { selectRows } from './select.ts';
import { parseWebmixSettings } from './settings.ts';
import { hashFraction } from './splits.ts';
import { madeEpisodes, madePool } from './testing/made-pool.ts';

function refusal(settings: WebmixSettingsInput, pool: Pool, ranks = 1): AppError {
  try {
    prepareWebmix(settings, pool, ranks);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('was taken');
}

const select = (settings: WebmixSettingsInput, pool: Pool) => selectRows(parseWebmixSettings(settings), pool);
const ids = Array.from({ length: 400 }, (_, i) => `task-${i}`);
const held = ids.filter((id) => hashFraction(id) < 0.05);
const kept = ids.filter((id) => hashFraction(id) >= 0.05);

describe('selection', () => {
  const pool = madePool([
    { taskId: `${kept[0]!}~rec`, family: 'Navigation' },
    { taskId: kept[1]!, family: 'Navigation', op: 'done' },
    { taskId: `${kept[1]!}~rec`, family: 'Navigation', op: 'done' },
    { taskId: held[0]!, family: 'Navigation' },
    { taskId: held[0]!, family: 'Text entry' },
    { taskId: kept[2]!, family: 'Navigation' },
    { taskId: kept[3]!, family: 'Text entry' },
    { taskId: 'chain-1', family: 'Navigation', parts: [kept[2]!, held[0]!] },
  ]);

  it('counts a row at the first filter that removes it', () => {
    const selection = select(
      { families: ['Navigation'], excludeVariants: ['recovery'], dropDone: true, beta: 0 },
      { ...pool, leftOut: { inject: 3, augPrefix: 2 } },
    );
    expect(selection.ce).toEqual([5]);
    expect(selection.anchors).toEqual([]);
    expect(selection.heldOut).toEqual([3, 7]);
    expect(Object.fromEntries(selection.filters.map((filter) => [filter.name, filter.rows]))).toEqual({
      inject: 3,
      'aug-prefix': 2,
      recovery: 2,
      done: 1,
      'held-out': 2,
      'held-out-other': 1,
      'no-anchor': 1,
    });
  });

  it('thins out training rows and anchors, not what is held out', () => {
    const value = hashFraction(`frac:${kept[2]!}`);
    const selection = select({ families: ['Navigation'], frac: value + 1e-9 }, pool);
    expect(selection.ce).toContain(5);
    expect(selection.heldOut).toEqual([3, 7]);
    expect(select({ families: ['Navigation'], episodeIds: [kept[2]!] }, pool)).toMatchObject({
      ce: [5],
      anchors: [],
      heldOut: [3, 7],
    });
  });
});

describe('refusals', () => {
  const pool = madeEpisodes(['Navigation', 'Text entry', 'Other'], 20, 3);

  it('a family that nobody has', () => {
    expect(refusal({ families: ['Navigation', 'Drags'] }, pool)).toMatchObject({
      code: 'unknown-family',
      message: 'no row of the pool is of the family Drags',
      hint: 'Families in the pool (rows): Navigation (60), Other (60), Text entry (60).',
    });
    expect(refusal({ adapter: 'drag' }, pool).message).toContain('Drag & gesture');
    expect(refusal({ adapter: 'pooled' }, madePool([])).hint).toBe('The pool has no rows at all.');
  });

  it('nothing left, with what each filter removed', () => {
    const error = refusal({ families: ['Navigation'], excludeVariants: ['plain'] }, pool);
    expect(error).toMatchObject({
      code: 'no-rows',
      message: 'no row is left to train on: of 60 rows of Navigation, filters removed 60 plain episodes',
    });
    expect(refusal({ families: ['Navigation'], frac: 1e-9 }, pool).message).toContain('outside the fraction');
  });

  it('an episode list that matches nothing, or is empty', () => {
    expect(refusal({ families: ['Navigation'], episodeIds: ['a', 'b'] }, pool)).toMatchObject({
      code: 'episodes-not-found',
      message: expect.stringContaining('none of the 2 ids'),
      hint: expect.stringContaining("the pool's first is f0-task-0"),
    });
    expect(refusal({ families: ['Navigation'], episodeIds: [] }, pool).message).toBe('the episode list is empty');
  });

  it('more ranks than rows, also when only the plan has enough', () => {
    const few = madePool([
      { taskId: kept[0]!, family: 'Navigation' },
      { taskId: kept[1]!, family: 'Other' },
    ]);
    expect(refusal({ families: ['Navigation'] }, few, 4)).toMatchObject({
      code: 'too-many-ranks',
      message: '4 ranks need 4 rows an epoch, but there are 1 (1 CE, 0 anchors)',
    });
    expect(refusal({ families: ['Navigation'], anchorRatio: 9 }, few, 4).message).toContain('there are 2');
  });

  it('runs without a visit, or with too many', () => {
    expect(refusal({ families: ['Navigation'], maxSteps: 3 }, pool, 4).code).toBe('no-visits');
    expect(refusal({ families: ['Navigation'], epochs: 0.001 }, pool, 2).code).toBe('no-visits');
    expect(refusal({ families: ['Navigation'], epochs: 1e9 }, pool).code).toBe('too-many-visits');
    expect(refusal({ families: ['Navigation'] }, pool, 0).code).toBe('bad-setting');
  });
});

it('says what is odd about the pool', () => {
  const pool = madeEpisodes(['Navigation', 'Text entry', 'Other'], 20, 3);
  const codes = (settings: WebmixSettingsInput) => select(settings, pool).warnings.map((warning) => warning.code);
  expect(codes({ adapter: 'rest' })).toEqual(['families-absent', 'families-unknown']);
  expect(codes({ families: ['Other'] })).toEqual([]);
  expect(codes({ families: ['Other'], episodeIds: ['f2-task-0', 'f2-task-1', 'f2-task-99'] })).toEqual([
    'episodes-missing',
  ]);
});
