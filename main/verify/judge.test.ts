import { describe, expect, it } from 'vitest';
import {
  computedFaults,
  encodingFaults,
  gradientScale,
  gradientTolerance,
  scaleFault,
  type Computed,
  type RowEncoding,
} from './judge.ts';
import { tolerancesFor } from './tolerances.ts';

const encoding: RowEncoding = {
  ...{ ids: [5, 6, 7, 8], targets: 2, action: [0, 1], grids: [[1, 4, 6]], pixels: ['abc'] },
};
const equal: Computed = {
  sum: 10,
  logProbs: { mean: 1e-6, p99: 1e-5, max: 2e-5, at: 1, ours: -2, theirs: -2.00002 },
  gradients: { other: [], tensors: 4, mean: 1e-5, max: 3e-5, worst: 'q.lora_A', oursSquare: 4, theirsSquare: 4 },
  distance: null,
};
const far: Computed = { ...equal, distance: { moved: 0.4, gain: 1, slope: 0.2 } };
const fine = tolerancesFor('float32');
const rough = tolerancesFor('bfloat16');
const said = (faults: { what: string; detail: string }[]): string =>
  faults.map((f) => `${f.what}: ${f.detail}`).join('\n');

describe('encodings', () => {
  it('say nothing where they are equal', () => expect(encodingFaults(encoding, structuredClone(encoding))).toEqual([]));

  it('name the first thing that differs, and where', () => {
    expect(said(encodingFaults(encoding, { ...encoding, ids: [5, 6, 9, 8] }))).toBe(
      'ids: from token 2 on: ours 7, theirs 9 (4 and 4 tokens)',
    );
    expect(said(encodingFaults(encoding, { ...encoding, ids: [5, 6, 7] }))).toBe(
      'ids: from token 3 on: ours 8, theirs nothing (4 and 3 tokens)',
    );
    expect(said(encodingFaults(encoding, { ...encoding, action: [1, 1] }))).toBe(
      'mask: 1 of 2 targets, the first is target 0: ours 0, theirs 1',
    );
    expect(said(encodingFaults(encoding, { ...encoding, targets: 3, action: [0, 1, 1] }))).toMatch(
      /^targets: ours 2, theirs 3\nmask: 1 of 3/,
    );
    expect(said(encodingFaults(encoding, { ...encoding, grids: [[1, 4, 8]] }))).toBe(
      'grids: image 0: ours 1 x 4 x 6, theirs 1 x 4 x 8',
    );
    expect(said(encodingFaults(encoding, { ...encoding, pixels: ['abd'] }))).toMatch(/^pixels: image 0/);
    expect(said(encodingFaults(encoding, { ...encoding, grids: [], pixels: [] }))).toBe(
      'grids: image 0: ours 1 x 4 x 6, theirs none',
    );
  });
});

describe('what was computed', () => {
  const judge = (computed: Computed, tolerances = fine, sum = 10): string =>
    said(computedFaults(computed, { sum, weight: 2 }, tolerances));
  const gradients = (max: number) => ({ ...equal.gradients, max }) as Computed['gradients'];

  it('may be off by rounding', () => {
    expect(judge(equal)).toBe('');
    expect(judge(far)).toBe('');
    expect(
      judge({ ...equal, logProbs: { ...equal.logProbs, mean: 0.05, max: 0.9 }, gradients: gradients(0.1) }, rough),
    ).toBe('');
  });

  it('may not be off by more, and a NaN is more', () => {
    const off = (max: number, mean: number): Computed => ({ ...equal, logProbs: { ...equal.logProbs, max, mean } });
    expect(judge(off(2e-4, 1e-6))).toMatch(/^log-probs: off by up to 2.0e-4 \(of 1.0e-4 allowed\), target 1/);
    expect(judge(off(NaN, NaN))).toMatch(/^log-probs/);
    expect(judge(off(9, 0.2), rough)).toMatch(/^log-probs: off by 2.0e-1 in the mean/);
    expect(judge({ ...equal, gradients: gradients(2e-4) })).toMatch(/^gradients: off by up to 2.0e-4 .*q.lora_A/);
    expect(judge({ ...equal, gradients: gradients(NaN) })).toMatch(/^gradients/);
    expect(judge(equal, fine, 10.01)).toMatch(/^loss: off by 5.0e-3 a target/);
    expect(judge({ ...equal, gradients: { other: ['x.lora_B'], count: 3 } })).toMatch(
      /^gradients: 3 tensors .* x.lora_B/,
    );
  });

  it('of a KL row may be off as log-probs may, and is not judged where base and adapter are the same within noise', () => {
    expect(judge({ ...far, gradients: gradients(1.9e-4) })).toBe('');
    expect(judge({ ...far, gradients: gradients(2.1e-4) })).toMatch(/^gradients/);
    expect(judge(far, fine, 10 + 2 * 5e-5)).toMatch(/^loss/);
    const near: Computed = { ...far, distance: { moved: 1e-6, gain: 1e5, slope: 1e-6 }, gradients: gradients(0.5) };
    expect(gradientTolerance(near, fine)).toBeNull();
    expect(judge(near)).toBe('');
  });
});

describe('the scale of gradients', () => {
  const row = (role: 'ce' | 'kl', length: number) => ({
    role,
    computed: { ...equal, gradients: { ...equal.gradients, oursSquare: length * length, theirsSquare: 1 } } as Computed,
  });
  const scaled = (lengths: number[]) => scaleFault(gradientScale(lengths.map((each) => row('ce', each))), rough);

  it('is a median: one noisy row does not count, all of them do', () => {
    expect(scaled([1, 1, 1.001, 0.999, 1, 1, 1, 1.4])).toBeNull();
    expect(scaled(Array.from({ length: 8 }, () => 1.01))?.detail).toMatch(/1.01000 times/);
    expect(scaled(Array.from({ length: 7 }, () => 1.01))).toBeNull();
  });

  it('is of cross-entropy rows alone', () => {
    expect(gradientScale([row('kl', 2)])).toBeNull();
    expect(gradientScale([row('kl', 2), row('ce', 1), row('ce', 3)])).toEqual({ median: 2, rows: 2 });
  });
});
