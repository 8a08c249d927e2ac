/** Rows folders made in a temporary folder, for tests and benches. */
import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { crc32, deflateSync } from 'node:zlib';

/** A whole PNG of one colour. `depth` 16 and so on make files that are refused. */
export function makePng(width: number, height: number, { depth = 8, shade = 128 } = {}): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, 2, 0, 0, 0], 8);
  // A filter byte before every line of RGB.
  const line = Buffer.alloc(1 + (width * 3 * depth) / 8, shade).fill(0, 0, 1);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => line)), { level: 1 });
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

/** A row that is accepted, with `changes` over it; a key set to undefined is left out. */
export function makeRow(changes: Record<string, unknown> = {}): Record<string, unknown> {
  const messages = [{ role: 'user', content: 'What now?' }];
  return {
    task_id: 'task-1',
    step: 0,
    family: 'Navigation',
    messages,
    target: '{"memory": "m", "action": []}',
    ...changes,
  };
}

export function userMessage(text: string, ...images: string[]): Record<string, unknown>[] {
  const parts = images.map((url) => ({ type: 'image_url', image_url: { url } }));
  return [{ role: 'user', content: [{ type: 'text', text }, ...parts] }];
}

/** Writes `<pool>/<name>/rows.jsonl` (lines: objects as JSON, text as it is) and files beside it; returns the episode's folder. */
export function writeEpisode(
  pool: string,
  name: string,
  lines: readonly (Record<string, unknown> | string)[],
  files: Readonly<Record<string, string | Uint8Array>> = {},
): string {
  const folder = path.join(pool, name);
  mkdirSync(folder, { recursive: true });
  const text = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
  writeFileSync(path.join(folder, 'rows.jsonl'), text);
  for (const [file, content] of Object.entries(files)) writeFileSync(path.join(folder, file), content);
  return folder;
}

/** Puts the times of all files into the past: what was written just now is not trusted by the catalog. */
export function settle(folder: string, secondsAgo = 3600): void {
  const time = Math.floor(Date.now() / 1000) - secondsAgo;
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = path.join(folder, entry);
    if (statSync(file, { throwIfNoEntry: false })?.isFile()) utimesSync(file, time, time);
  }
}
