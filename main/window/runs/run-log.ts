/** Parts of a run's log file, from its end backwards: a log can be gigabytes. */
import { open } from 'node:fs/promises';
import type { LogPart } from '../../contract/window/runs.ts';
import { fileError } from '../../io/atomic-file.ts';

const lineBreak = 0x0a;

/**
 * The part of `file` that ends at byte `before` (null: at its end), at most `bytes` long. It begins at a line's beginning, unless that line is longer than the
 * part; a last line without an end belongs to it, since it may be a process's last word. A file that is not there reads as an empty one. Throws AppError.
 */
export async function readLogPart(file: string, before: number | null, bytes: number): Promise<LogPart> {
  try {
    const handle = await open(file, 'r');
    try {
      const { size } = await handle.stat();
      const to = Math.min(before ?? size, size);
      const begin = Math.max(0, to - bytes);
      // One byte more, to see whether the part begins at a line.
      const from = Math.max(0, begin - 1);
      const buffer = Buffer.alloc(to - from);
      let filled = 0;
      while (filled < buffer.length) {
        const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, from + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      const read = buffer.subarray(0, filled);
      let start = begin - from;
      if (begin > 0) {
        const found = read.indexOf(lineBreak);
        // A single line that is longer than the part is shown from its middle.
        if (found >= 0 && found + 1 < read.length) start = found + 1;
        else start += cutCharacter(read.subarray(start));
      }
      return { text: read.subarray(start).toString('utf8'), from: from + start, to: from + filled, size };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      return { text: '', from: 0, to: 0, size: 0 };
    throw fileError(error, 'read', file);
  }
}

/** How many bytes at the beginning are the rest of a character of UTF-8: 0 to 3, whatever the bytes are, so that every part has something in it. */
function cutCharacter(bytes: Uint8Array): number {
  let count = 0;
  while (count < 3 && ((bytes[count] ?? 0) & 0xc0) === 0x80) count += 1;
  return count;
}
