/** What the bad inputs are made with: the command that runs into them, and small surgery on rows. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DEMO_MODEL, DEMO_ROWS, type Finished, type Product } from './product.ts';

export interface BadInput {
  name: string;
  /** Needs a mount namespace. */
  unshare?: boolean;
  /** Makes the bad thing and runs the product into it. `out` is the output folder that must not be half-made. */
  run(product: Product, out: string): Promise<Finished>;
  /** Every one of these is in what the product prints on stderr. */
  says: readonly RegExp[];
  /** The output folder may be there: it was before. */
  outExists?: boolean;
}

export const webmix = (out: string, rows: string = DEMO_ROWS, model: string = DEMO_MODEL): string[] => [
  'run',
  'webmix',
  '--adapter',
  'rest',
  '--rows-dir',
  rows,
  '--model',
  model,
  '--out',
  out,
  '--max-steps',
  '8',
  '--threads',
  '2',
  '--device',
  'cpu',
];

/** First episode of a rows folder that has an image, with the name of the image of its first row. */
export function episodeWithImage(rows: string): { folder: string; image: string; file: string } {
  for (const episode of readdirSync(rows).sort()) {
    const file = path.join(rows, episode, 'rows.jsonl');
    const image = /"url": ?"([^"]+\.(?:png|jpg))"/.exec(readFileSync(file, 'utf8').split('\n')[0] ?? '')?.[1];
    if (image !== undefined) return { folder: path.join(rows, episode), image, file };
  }
  throw new Error(`no episode with an image in ${rows}`);
}

type Row = Record<string, unknown>;
export function changeFirstRow(file: string, change: (row: Row) => void): void {
  const lines = readFileSync(file, 'utf8').split('\n');
  const row = JSON.parse(lines[0] ?? '') as Row;
  change(row);
  lines[0] = JSON.stringify(row);
  writeFileSync(file, lines.join('\n'));
}

/** All image references of a row's text form, replaced. */
export const withImage = (file: string, url: string): void =>
  changeFirstRow(file, (row) => {
    row['messages'] = JSON.parse(
      JSON.stringify(row['messages']).replace(/"url":"[^"]+"/g, `"url":${JSON.stringify(url)}`),
    ) as unknown;
  });
