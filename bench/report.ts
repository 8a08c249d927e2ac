/** How a bench reports: a table on the terminal, raw JSON in bench/results, exit status 1 when a stated figure is missed. */
import { mkdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { writeFileAtomic } from '../main/io/atomic-file.ts';

export interface Figure {
  name: string;
  value: number;
  unit: string;
  /** What the figure has to be; a figure without one is only measured. */
  atMost?: number;
  atLeast?: number;
}

const met = (figure: Figure): boolean =>
  Number.isFinite(figure.value) &&
  (figure.atMost === undefined || figure.value <= figure.atMost) &&
  (figure.atLeast === undefined || figure.value >= figure.atLeast);

/** Prints, writes bench/results/<day>-<name>.json, and returns whether every stated figure is met. */
export function report(name: string, figures: readonly Figure[], raw: Record<string, unknown> = {}): boolean {
  const machine = {
    cpu: os.cpus()[0]?.model ?? '?',
    cores: os.cpus().length,
    gib: Math.round(os.totalmem() / 2 ** 30),
  };
  for (const figure of figures) {
    const bound =
      figure.atMost !== undefined ? `<= ${figure.atMost}` : figure.atLeast !== undefined ? `>= ${figure.atLeast}` : '';
    const verdict = bound === '' ? '' : met(figure) ? 'met' : 'MISSED';
    console.log(
      `${figure.name.padEnd(52)} ${figure.value.toPrecision(4).padStart(10)} ${figure.unit.padEnd(12)} ${bound.padEnd(10)} ${verdict}`,
    );
  }
  const folder = path.join(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  const day = new Date().toISOString().slice(0, 10);
  const file = path.join(folder, `${day}-${name}.json`);
  const content = { name, date: new Date().toISOString(), machine, node: process.version, figures, raw };
  writeFileAtomic(file, `${JSON.stringify(content, null, 1)}\n`);
  return figures.every(met);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error('a median of nothing');
  return middle;
}
