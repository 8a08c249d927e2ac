/** What is equal and what is not, in words: of a row's encoding, of what was computed from it, and of all rows together. */
import type { VerifyRole } from './draw-rows.ts';
import type { Tolerances } from './tolerances.ts';

/** As one side encodes a row. */
export interface RowEncoding {
  ids: readonly number[];
  targets: number;
  /** 0 or 1 a target. */
  action: readonly number[];
  /** (t, h, w) an image. */
  grids: readonly (readonly number[])[];
  /** Hex SHA-256 of the float32 pixel values, an image. */
  pixels: readonly string[];
}

/** What the Python side found when it compared a visit. A number that is not finite comes as NaN. */
export interface Computed {
  /** Of the term over all targets, theirs. */
  sum: number;
  logProbs: { mean: number; p99: number; max: number; at: number; ours: number; theirs: number };
  gradients:
    | { other: readonly string[]; count: number }
    | {
        other: readonly [];
        tensors: number;
        mean: number;
        max: number;
        worst: string;
        /** Sums of squares over all tensors. */
        oursSquare: number;
        theirsSquare: number;
      };
  /** Of a KL row: mean |d|, and how much of the tolerance of log-probs goes into the gradient (relative) and into the loss (a target). */
  distance: { moved: number; gain: number; slope: number } | null;
}

/** What differs: the thing, and where first and by how much. */
export interface Fault {
  what: 'ids' | 'targets' | 'mask' | 'grids' | 'pixels' | 'log-probs' | 'loss' | 'gradients' | 'refused' | 'scale';
  detail: string;
}

const some = (value: number | undefined): string => (value === undefined ? 'nothing' : String(value));

/** Everything of the encoding that differs. With other ids nothing else is said: it follows from them. */
export function encodingFaults(ours: RowEncoding, theirs: RowEncoding): Fault[] {
  const length = Math.max(ours.ids.length, theirs.ids.length);
  for (let at = 0; at < length; at += 1)
    if (ours.ids[at] !== theirs.ids[at])
      return [
        {
          what: 'ids',
          detail: `from token ${at} on: ours ${some(ours.ids[at])}, theirs ${some(theirs.ids[at])} (${ours.ids.length} and ${theirs.ids.length} tokens)`,
        },
      ];
  const faults: Fault[] = [];
  if (ours.targets !== theirs.targets)
    faults.push({ what: 'targets', detail: `ours ${ours.targets}, theirs ${theirs.targets}` });
  const differing = theirs.action.flatMap((value, at) => (ours.action[at] === value ? [] : [at]));
  const [first] = differing;
  if (first !== undefined)
    faults.push({
      what: 'mask',
      detail: `${differing.length} of ${theirs.action.length} targets, the first is target ${first}: ours ${some(ours.action[first])}, theirs ${some(theirs.action[first])}`,
    });
  const images = Math.max(ours.grids.length, theirs.grids.length);
  for (let image = 0; image < images; image += 1) {
    const [a, b] = [ours.grids[image]?.join(' x ') ?? 'none', theirs.grids[image]?.join(' x ') ?? 'none'];
    if (a !== b) faults.push({ what: 'grids', detail: `image ${image}: ours ${a}, theirs ${b}` });
    else if (ours.pixels[image] !== theirs.pixels[image])
      faults.push({
        what: 'pixels',
        detail: `image ${image}: SHA-256 ours ${ours.pixels[image]?.slice(0, 12) ?? 'none'}..., theirs ${theirs.pixels[image]?.slice(0, 12) ?? 'none'}...`,
      });
  }
  return faults;
}

/** 1.2e-5 */
export const shortly = (value: number): string => (value === 0 ? '0' : value.toExponential(1));

/** Not `value > most`: a NaN is no good either. */
const exceeds = (value: number, most: number): boolean => !(value <= most);

/** From here on a comparison says nothing: a gradient of the other direction would pass. */
const vacuous = 0.7;

/** How far a tensor's gradient may be off in that row; null: nothing can be said, since base and adapter are as near to each other as rounding noise. */
export function gradientTolerance(computed: Computed, { gradient, logProbMean }: Tolerances): number | null {
  const tolerance = gradient + logProbMean * (computed.distance?.gain ?? 0);
  return tolerance < vacuous ? tolerance : null;
}

/**
 * And the row's loss, a target. A KL term is off by what both log-probs are, times exp(d) - 1, and by the square of that where d is near 0; its own rounding is of the size of 1e-7.
 */
function lossTolerance({ distance }: Computed, { logProbMean }: Tolerances): number {
  return distance === null ? logProbMean : 2 * logProbMean * distance.slope + logProbMean ** 2 + 1e-6;
}

/**
 * @param ours the trainer's sum of the term, and of its weights.
 */
export function computedFaults(
  computed: Computed,
  ours: { sum: number; weight: number },
  tolerances: Tolerances,
): Fault[] {
  const faults: Fault[] = [];
  const { logProbs, gradients } = computed;
  const worst = `target ${logProbs.at}: ours ${logProbs.ours.toFixed(5)}, theirs ${logProbs.theirs.toFixed(5)}`;
  if (tolerances.logProb !== null && exceeds(logProbs.max, tolerances.logProb))
    faults.push({
      what: 'log-probs',
      detail: `off by up to ${shortly(logProbs.max)} (of ${shortly(tolerances.logProb)} allowed), ${worst}`,
    });
  else if (exceeds(logProbs.mean, tolerances.logProbMean))
    faults.push({
      what: 'log-probs',
      detail: `off by ${shortly(logProbs.mean)} in the mean (of ${shortly(tolerances.logProbMean)} allowed), most at ${worst}`,
    });
  const allowed = lossTolerance(computed, tolerances);
  const off = Math.abs(ours.sum - computed.sum) / ours.weight;
  if (exceeds(off, allowed))
    faults.push({
      what: 'loss',
      detail: `off by ${shortly(off)} a target (of ${shortly(allowed)} allowed): ours ${ours.sum.toFixed(6)}, theirs ${computed.sum.toFixed(6)}`,
    });
  if (!('max' in gradients))
    return [
      ...faults,
      {
        what: 'gradients',
        detail: `${gradients.count} tensors are not on both sides or of other shapes, as ${gradients.other.join(', ')}`,
      },
    ];
  const most = gradientTolerance(computed, tolerances);
  if (most !== null && exceeds(gradients.max, most))
    faults.push({
      what: 'gradients',
      detail: `off by up to ${shortly(gradients.max)} of a tensor's norm (of ${shortly(most)} allowed), most in ${gradients.worst}`,
    });
  return faults;
}

/** With fewer cross-entropy rows than this one row's noise decides; then the scale is told and not judged. */
const rowsForScale = 8;

export interface GradientScale {
  /** Median over cross-entropy rows of the length of all gradients of a row, ours over theirs. */
  median: number;
  rows: number;
}

/** null without cross-entropy rows. */
export function gradientScale(rows: readonly { role: VerifyRole; computed: Computed }[]): GradientScale | null {
  const ratios = rows
    .flatMap(({ role, computed: { gradients } }) =>
      role !== 'kl' && 'max' in gradients ? [Math.sqrt(gradients.oursSquare / gradients.theirsSquare)] : [],
    )
    .sort((a, b) => a - b);
  const middle = ratios.length >> 1;
  const [low, high] = [ratios[ratios.length % 2 === 0 ? middle - 1 : middle], ratios[middle]];
  return low === undefined || high === undefined ? null : { median: (low + high) / 2, rows: ratios.length };
}

export function scaleFault(scale: GradientScale | null, { scale: most }: Tolerances): Fault | null {
  if (scale === null || scale.rows < rowsForScale || !exceeds(Math.abs(scale.median - 1), most)) return null;
  return {
    what: 'scale',
    detail: `gradients of cross-entropy rows are ${scale.median.toFixed(5)} times as long as theirs in the median (within ${most} of 1 allowed)`,
  };
}
