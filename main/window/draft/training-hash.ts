/**
 * What a plan trains on, as two hashes, to tell whether two runs train the same.
 *
 * Row set: hex SHA-256 over one line a row visit of the order's first epoch, `ROLE KEY\n` with the row's content key, the lines sorted by code unit. It does
 * not depend on the order of the visits, the folders' names or the model.
 * Masks: the same lines, each followed by a blank and, instead of the line break, 4 bytes (little-endian) with the number of targets and a byte or more a
 * target: its weight in that role as the encoded dataset has it, 1 where the role weighs every target alike.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Plan } from '../../contract/plan.ts';
import { openPack, readOffsets } from '../../encode/pack.ts';

export interface TrainingHashes {
  rowSetHash: string;
  maskHash: string;
}

/** @param keys PoolRow.key by row of the plan. Throws AppError where an encoded dataset cannot be read; the signal's reason when it is given. */
export async function hashTraining(plan: Plan, keys: readonly string[], signal?: AbortSignal): Promise<TrainingHashes> {
  const order = plan.phases[0]?.order;
  const lines: { line: string; role: number; row: number }[] = [];
  order?.row.forEach((row, visit) => {
    const role = order.role[visit] ?? 0;
    if (order.epoch[visit] === 0)
      lines.push({ line: `${plan.roles[role]?.name ?? String(role)} ${keys[row] ?? ''}`, role, row });
  });
  lines.sort((a, b) => (a.line < b.line ? -1 : a.line > b.line ? 1 : 0));
  const rowSet = createHash('sha256');
  for (const { line } of lines) rowSet.update(`${line}\n`);

  const weights = await readWeights(plan, lines, signal);
  const masks = createHash('sha256');
  const count = Buffer.alloc(4);
  for (const { line, role, row } of lines) {
    const bytes = weights(role, row);
    count.writeUInt32LE(bytes.length);
    masks.update(`${line} `).update(count).update(bytes);
  }
  return { rowSetHash: rowSet.digest('hex'), maskHash: masks.digest('hex') };
}

/** Weights of a row's targets in a role, as bytes. Each dataset is read once: the offsets of its targets, and the columns that roles weigh by. */
async function readWeights(
  plan: Plan,
  wanted: readonly { role: number; row: number }[],
  signal: AbortSignal | undefined,
): Promise<(role: number, row: number) => Uint8Array> {
  const datasets = new Set(wanted.map(({ row }) => plan.rows.dataset[row] ?? 0));
  const columns = [...new Set(plan.roles.flatMap(({ weights }) => (weights === null ? [] : [weights])))];
  const packs = new Map<number, { offsets: Float64Array; columns: Map<string, Uint8Array> }>();
  for (const dataset of datasets) {
    signal?.throwIfAborted();
    const { tensors, about } = await openPack(path.resolve(plan.datasets[dataset] ?? ''));
    try {
      const offsets = await readOffsets(tensors, 'target.offsets', about.rows);
      const read = new Map<string, Uint8Array>();
      for (const name of columns) {
        const tensor = `column.${name}`;
        const raw =
          tensors.dtype(tensor) === 'F32' ? await tensors.read(tensor, 'F32') : await tensors.read(tensor, 'U8');
        read.set(name, new Uint8Array(raw.buffer, raw.byteOffset, raw.byteLength));
      }
      packs.set(dataset, { offsets, columns: read });
    } finally {
      await tensors.close();
    }
  }
  return (role, row) => {
    const pack = packs.get(plan.rows.dataset[row] ?? 0);
    const at = plan.rows.row[row] ?? 0;
    const [from, to] = [pack?.offsets[at] ?? 0, pack?.offsets[at + 1] ?? 0];
    const column = plan.roles[role]?.weights ?? null;
    const bytes = column === null ? undefined : pack?.columns.get(column);
    if (!bytes) return new Uint8Array(to - from).fill(1);
    const width = bytes.length / (pack?.offsets.at(-1) || 1);
    return bytes.subarray(from * width, to * width);
  };
}
