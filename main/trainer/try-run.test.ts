/** The estimate of a try, and that its folder is gone however it ends. */
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { CensusRole } from '../contract/census.ts';
import type { TryRow } from '../contract/window/draft.ts';
import { estimateSeconds, tryRun } from './try-run.ts';

const role = (name: string, visits: number, tokens: number): CensusRole => ({
  ...{ name, visits, tokens, rows: visits, supervisedTokens: 0, longest: null, fallback: null, zero: 0 },
});
const row = (name: string, tokens: number, forward: number, reference = 0): TryRow => ({
  ...{ role: name, name: 'x', tokens, targets: 1, forwardSeconds: forward, backwardSeconds: 2 * forward },
  ...{ referenceSeconds: reference, peakGib: 1 },
});

describe('the estimate', () => {
  it('is tokens times seconds a token, role by role, shared by the ranks', () => {
    const roles = [role('ce', 10, 1000), role('kl', 5, 500)];
    const tried = [row('ce', 100, 1), row('ce', 300, 3), row('kl', 100, 1, 1)];
    // ce: 12 s for 400 tokens, 1000 tokens: 30 s. kl: 4 s for 100 tokens, 500 tokens: 20 s.
    expect(estimateSeconds(roles, 1, tried)).toBeCloseTo(50);
    expect(estimateSeconds(roles, 2, tried)).toBeCloseTo(25);
  });

  it('is none where a role was not tried, and needs none of a role without visits', () => {
    expect(estimateSeconds([role('ce', 1, 10), role('kl', 1, 10)], 1, [row('ce', 10, 1)])).toBeNull();
    expect(estimateSeconds([role('ce', 1, 10), role('kl', 0, 0)], 1, [row('ce', 10, 1)])).toBeCloseTo(3);
    expect(estimateSeconds([role('ce', 1, 10)], 1, [])).toBeNull();
  });
});

describe('the folder of a try', () => {
  it('is gone when it was cancelled or could not be planned', async () => {
    const controller = new AbortController();
    const made: string[] = [];
    const cancelled = tryRun(
      (folder) => {
        made.push(folder);
        expect(existsSync(folder)).toBe(true);
        controller.abort(new Error('cancelled'));
        return folder;
      },
      { signal: controller.signal },
    );
    await expect(cancelled).rejects.toThrow('cancelled');
    const failed = tryRun((folder) => {
      made.push(folder);
      throw new Error('no plan');
    });
    await expect(failed).rejects.toThrow('no plan');
    expect(made.map((folder) => existsSync(folder))).toEqual([false, false]);
  });
});
