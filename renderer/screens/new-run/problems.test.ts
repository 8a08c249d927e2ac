import { describe, expect, it } from 'vitest';
import type { DraftCheck, DraftProblem, PoolFacts } from '../../../main/contract/window/draft.ts';
import { emptyRequest } from '../../stores/draft.ts';
import { nextProblem } from './jump.ts';
import { collectProblems, worst, type ProblemSources } from './problems.ts';
import { fieldOrder, formSections } from './sections.ts';

const problem = (field: string, code = 'x', severity: DraftProblem['severity'] = 'error'): DraftProblem => ({
  ...{ field, code, severity, message: field, hint: 'do', repair: null },
});
const check = (...problems: DraftProblem[]): DraftCheck => ({
  ...{ problems, name: 'n', output: '/o', model: null, initAdapter: null, command: [] },
});
const pool = (badCount: number) => ({ badCount, bad: [] }) as unknown as PoolFacts;
const sections = formSections({
  groups: [
    { title: 'Model', settings: ['initAdapter'] },
    { title: 'Rows', settings: ['adapter'] },
    { title: 'Training', settings: ['lr'] },
  ],
});
const order = fieldOrder(sections);
const sources = (part: Partial<ProblemSources>): ProblemSources => ({
  ...{ request: emptyRequest(), order, check: null, pool: null, poolFault: null, censusFault: null },
  settings: [{ name: 'lr', kind: 'number', flag: '--lr', default: 1e-4, meaning: '' }],
  ...part,
});
const fields = (part: Partial<ProblemSources>) => collectProblems(sources(part)).map((each) => each.field);

describe('sections', () => {
  it('give every run its model, rows and place, whatever the groups are', () => {
    expect(order).toEqual(['model', 'processor', 'initAdapter', 'rowsFolders', 'adapter', 'lr', 'output', 'name']);
    expect(fieldOrder(formSections({ groups: [{ title: 'All', settings: ['a'] }] }))).toEqual([
      'model',
      'processor',
      'rowsFolders',
      'a',
      'output',
      'name',
    ]);
  });
});

describe('problems', () => {
  it('come in the order of the form, unknown fields last', () => {
    expect(fields({ check: check(problem('strange'), problem('lr'), problem('model'), problem('name')) })).toEqual([
      'model',
      'lr',
      'name',
      'strange',
    ]);
  });

  it('what is no number is said once, by the form', () => {
    const request = { ...emptyRequest(), settings: { lr: '0.1.2' } };
    const found = collectProblems(sources({ request, check: check(problem('lr', 'bad-setting')) }));
    expect(found.map(({ code }) => code)).toEqual(['no-number']);
  });

  it('rows that cannot be read hold the launch until they are let through', () => {
    expect(fields({ pool: pool(2) })).toEqual(['rowsFolders']);
    expect(fields({ pool: pool(2), request: { ...emptyRequest(), allowBad: 2 } })).toEqual([]);
    expect(fields({ pool: pool(2), check: check(problem('rowsFolders', 'bad-rows')) })).toEqual(['rowsFolders']);
  });

  it('a census that failed holds it too, but not a broken connection or a cancelled one', () => {
    const fault = (code: string) => ({ code, message: 'm', hint: null });
    expect(fields({ censusFault: fault('no-rows') })).toEqual(['census']);
    for (const code of ['disconnected', 'cancelled', 'internal'])
      expect(fields({ censusFault: fault(code) })).toEqual([]);
    expect(fields({ censusFault: fault('no-rows'), check: check(problem('lr')) })).toEqual(['lr']);
  });

  it('the worst decides the frame', () => {
    expect(worst([problem('a', 'x', 'warning'), problem('a')])).toBe('error');
    expect(worst([problem('a', 'x', 'info')])).toBeNull();
  });

  it('are gone through in order and around the end', () => {
    const all = [problem('model'), problem('lr'), problem('lr'), problem('name', 'x', 'warning')];
    expect(nextProblem(all, null, 'error')).toBe('model');
    expect(nextProblem(all, 'model', 'error')).toBe('lr');
    expect(nextProblem(all, 'lr', 'error')).toBe('model');
    expect(nextProblem(all, 'seed', 'error')).toBe('model');
    expect(nextProblem([], null, null)).toBeNull();
  });
});
