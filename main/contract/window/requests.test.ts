/** The contract's types: what a request gives is what its handler has to answer. */
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { AppInfo } from './app.ts';
import { pushNames, requestNames } from './names.ts';
import { requests, type RequestAnswer, type RequestInput } from './requests.ts';
import type { LogPart, SeriesAnswer } from './runs.ts';

describe('the contract of window and main', () => {
  it('has a schema for every name and no other', () => {
    expect(Object.keys(requests).sort()).toEqual([...requestNames].sort());
    expect(new Set(pushNames).size).toBe(pushNames.length);
  });

  it('refuses keys that it does not know', () => {
    for (const [name, { in: schema }] of Object.entries(requests))
      expect(schema.safeParse({ nonsense: 1 }).success, name).toBe(false);
  });

  it('carries the type of the answer', () => {
    expectTypeOf<RequestAnswer<'app.info'>>().toEqualTypeOf<AppInfo>();
    expectTypeOf<RequestAnswer<'runs.log'>>().toEqualTypeOf<LogPart>();
    expectTypeOf<RequestAnswer<'runs.series'>>().toEqualTypeOf<SeriesAnswer>();
    expectTypeOf<RequestInput<'runs.get'>>().toEqualTypeOf<{ run: string }>();
  });
});
