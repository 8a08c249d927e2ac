/**
 * The order of a webmix run: which row is visited when, in which role, by which rank, and to which optimizer step its gradient belongs. It is the Python
 * trainer's order for the same seed, since one generator is asked the same questions in the same sequence: first the shuffle of the CE rows (with a limit only),
 * then for every epoch the draw of the anchors and the shuffle of CE rows followed by anchors. Nothing here knows tokens or files.
 */
/* eslint-disable @typescript-eslint/no-non-null-assertion -- indices are counted within their lists */
import { AppError } from '../../contract/errors.ts';
import { PythonRandom } from '../../plan/python-random.ts';

export interface DrawInput {
  /** CE rows and anchor pool, as indices into whatever the caller has, in file order. */
  ce: readonly number[];
  anchors: readonly number[];
  ranks: number;
  seed: number;
  limit: number;
  /** May be fractional. */
  epochs: number;
  maxSteps: number;
  gradAccum: number;
  anchorRatio: number;
  saveEvery: number;
}

export const ceRole = 0;
export const klRole = 1;

/** A row visit a position (its ordinal); columns of equal length. */
export interface DrawnOrder {
  step: number[];
  rank: number[];
  forward: number[];
  /** The caller's index. */
  row: number[];
  /** `ceRole` or `klRole`. */
  role: number[];
  epoch: number[];
}

export interface Draw {
  order: DrawnOrder;
  /** CE rows after the limit. */
  ceRows: number;
  /** Anchors an epoch: asked for, and there. */
  anchorRows: { planned: number; real: number };
  /** Rows an epoch over all ranks: as the total is computed, and as an epoch really has them. */
  rowsPerEpoch: { planned: number; real: number };
  /** Rows a rank and optimizer step. */
  accumulation: number;
  /** Optimizer steps: as the schedule is computed, and as they happen. */
  steps: { planned: number; real: number };
  /** Saves before the end, in order: after how many row visits, and under which name. */
  saves: { afterRows: number; name: string; kind: 'rows' | 'epoch' }[];
}

/** More visits than anybody trains; beyond it a typing error in the epochs would fill the memory. */
const mostVisits = 20_000_000;

/** Python's `round` of a number that is 0 or more: halves go to the even neighbour. */
export function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return rest < 0.5 ? floor : floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}

/** Throws AppError: too-many-ranks, no-visits, too-many-visits. */
export function drawOrder(input: DrawInput): Draw {
  const { ranks, saveEvery } = input;
  const cut = (rows: number): number => rows - (rows % ranks);
  const random = new PythonRandom(input.seed);

  let ce = input.ce;
  if (input.limit > 0) {
    const shuffled = ce.slice();
    random.shuffle(shuffled);
    ce = shuffled.slice(0, input.limit);
  }
  const planned = input.anchors.length > 0 ? roundHalfEven(ce.length * input.anchorRatio) : 0;
  const real = Math.min(planned, input.anchors.length);
  const rowsPerEpoch = { planned: cut(ce.length + planned), real: cut(ce.length + real) };
  if (rowsPerEpoch.real === 0)
    throw new AppError(
      'too-many-ranks',
      `${ranks} ranks need ${ranks} rows an epoch, but there are ${ce.length + real} (${ce.length} CE, ${real} anchors)`,
      'Use fewer GPUs, or more rows.',
    );
  let total = cut(Math.ceil(rowsPerEpoch.planned * input.epochs));
  if (input.maxSteps > 0) total = Math.min(total, cut(input.maxSteps));
  if (total === 0)
    throw new AppError(
      'no-visits',
      `nothing is left to train: ${input.epochs} epochs of ${rowsPerEpoch.planned} rows${
        input.maxSteps > 0 ? `, at most ${input.maxSteps} rows` : ''
      }, in multiples of ${ranks} ranks, are 0 rows`,
      'Raise --epochs or --max-steps, or use fewer GPUs.',
    );
  if (total > mostVisits)
    throw new AppError(
      'too-many-visits',
      `${input.epochs} epochs of ${rowsPerEpoch.planned} rows are ${total} row visits; a plan holds ${mostVisits} at most`,
      'Lower --epochs.',
    );

  const accumulation = Math.max(1, Math.floor(input.gradAccum / ranks));
  const order: DrawnOrder = { step: [], rank: [], forward: [], row: [], role: [], epoch: [] };
  const saves: Draw['saves'] = [];
  let done = 0;
  let savedAt = 0;
  let step = 0;
  // Rounds of visits that the open step holds so far. What an epoch leaves over belongs to the first step of the next one.
  let pending = 0;
  const bucket = (rows: number): number => Math.floor(rows / saveEvery);
  for (let epoch = 0; done < total;) {
    const drawn = random.sample(input.anchors, real);
    const visits: number[] = ce.map((_, i) => i);
    for (let i = 0; i < real; i++) visits.push(ce.length + i);
    random.shuffle(visits);
    const rounds = Math.min(rowsPerEpoch.real, total - done) / ranks;
    for (let round = 0; round < rounds; round++) {
      for (let rank = 0; rank < ranks; rank++) {
        const visit = visits[round * ranks + rank]!;
        const isCe = visit < ce.length;
        order.step.push(step);
        order.rank.push(rank);
        order.forward.push(pending);
        order.row.push(isCe ? ce[visit]! : drawn[visit - ce.length]!);
        order.role.push(isCe ? ceRole : klRole);
        order.epoch.push(epoch);
      }
      done += ranks;
      pending += 1;
      if ((round + 1) % accumulation !== 0 && done < total) continue;
      step += 1;
      pending = 0;
      if (saveEvery > 0 && done < total && bucket(done) > bucket(savedAt)) {
        saves.push({ afterRows: done, name: `rows_${done}`, kind: 'rows' });
        savedAt = done;
      }
    }
    epoch += 1;
    if (done < total) saves.push({ afterRows: done, name: `epoch_${epoch}`, kind: 'epoch' });
  }
  return {
    order,
    ceRows: ce.length,
    anchorRows: { planned, real },
    rowsPerEpoch,
    accumulation,
    steps: { planned: Math.max(1, Math.floor(total / (accumulation * ranks))), real: step },
    saves,
  };
}
