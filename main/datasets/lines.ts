/** Lines of a file of any size, split at "\n" only, as bytes with their place. A "\r" before it stays (JSON counts it as white space). */
import { createReadStream } from 'node:fs';

export interface Line {
  /** 1-based. */
  number: number;
  /** Byte offset of its first byte, and its length without the line break. */
  offset: number;
  length: number;
  /** Null when the line is longer than `maximumLine`. */
  bytes: Buffer | null;
  /** False for the last line of a file that does not end with a line break. */
  ended: boolean;
}

/** A string of more than half a gigabyte cannot be made, and no row is a hundredth of this. */
export const maximumLine = 128 * 2 ** 20;

/** The empty rest after a final line break is not a line. */
export async function* readLines(file: string): AsyncGenerator<Line> {
  let number = 1;
  let offset = 0;
  let length = 0;
  let pieces: Buffer[] = [];
  const take = (piece: Buffer): void => {
    length += piece.length;
    if (length <= maximumLine) pieces.push(piece);
    else pieces = [];
  };
  const finish = (ended: boolean): Line => {
    const bytes = length > maximumLine ? null : pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
    const line = { number, offset, length, bytes, ended };
    number++;
    offset += length + 1;
    length = 0;
    pieces = [];
    return line;
  };
  for await (const chunk of createReadStream(file, { highWaterMark: 2 ** 20 }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      take(chunk.subarray(start, end));
      yield finish(true);
      start = end + 1;
    }
    if (start < chunk.length) take(chunk.subarray(start));
  }
  if (length > 0) yield finish(false);
}
