/**
 * How far two right computations may lie apart, and why. Ids, masks, grids and pixels may not differ at all. Log-probs and gradients are sums of thousands of rounded products:
 * libraries, vector units and GPUs add them in other orders. The numbers are measurements (docs/lab-log.md), not wishes.
 */

export interface Tolerances {
  /** Of each log-prob, absolute; null: single ones are not judged. */
  logProb: number | null;
  /** Of a row's mean |difference|. */
  logProbMean: number;
  /** 2-norm of the difference, in parts of the tensor's own: of each LoRA tensor, for a cross-entropy row. */
  gradient: number;
  /** Of the length of a cross-entropy row's gradients, ours over theirs, less 1, in the median over rows. */
  scale: number;
  /** For people: what they come from. */
  reasons: readonly string[];
}

export function tolerancesFor(dtype: 'bfloat16' | 'float32'): Tolerances {
  if (dtype === 'float32')
    return {
      ...{ logProb: 1e-4, logProbMean: 1e-4, gradient: 1e-4, scale: 1e-4 },
      reasons: [
        'each log-prob within 1e-4, each gradient tensor within 1e-4 of its norm: in float32 only the order of addition differs. The same trainer on other vector units is off by up to 2.3e-5 and 3.8e-5, transformers with another attention kernel by 2.8e-5',
        'a KL row: its gradient has the factor exp(d) - 1, d = log p of the base - log p; what a log-prob may be off goes into it in proportion, and is allowed for',
      ],
    };
  return {
    ...{ logProb: null, logProbMean: 0.15, gradient: 0.33, scale: 0.005 },
    reasons: [
      "a row's mean difference of log-probs within 0.15, each gradient tensor within 0.33 of its norm: three times bfloat16's own rounding noise. On a 4B model transformers in bfloat16 is 0.05 (mean) and 0.11 (99 %) from itself in float32",
      'a KL row: its gradient has the factor exp(d) - 1, d = log p of the base - log p; what a log-prob may be off goes into it in proportion, and is allowed for',
      "the length of a cross-entropy row's gradients, ours over theirs, within 0.5 % in the median over rows: noise changes it this way and that, a wrong scaling of the adapter does so one way (transformers in bfloat16 against itself in float32: 0.13 %)",
      'in bfloat16 a fault smaller than this noise is not seen: --dtype float32 sees a thousand times finer, where the memory suffices',
    ],
  };
}
