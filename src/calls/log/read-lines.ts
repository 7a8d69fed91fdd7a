/**
 * The lines of a file, cut at the byte 0x0A, a piece of the file at a time. A line that is longer than a call record can be is told as
 * such and not kept.
 */
import { createReadStream } from 'node:fs';

/** A call with a thousand participants takes some 300 kB. */
export const maxLineBytes = 4 * 1024 * 1024;
const pieceBytes = 1024 * 1024;
const newline = 0x0a;

export interface Line {
  /** Without its end; only valid until the next line is asked for. Undefined where it is too long. */
  readonly bytes: Buffer | undefined;
  /** From 1. */
  readonly number: number;
  /** False for the last line of a file where no line end follows. */
  readonly isEnded: boolean;
}

/** Lines of one piece at a time, so that a caller waits once for thousands of them. */
export async function* readLines(path: string, signal?: AbortSignal): AsyncGenerator<Line[]> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  let number = 0;
  const join = (end: Buffer): Buffer | undefined => {
    const length = restBytes + end.length;
    const bytes = length > maxLineBytes ? undefined : rest.length === 0 ? end : Buffer.concat([...rest, end]);
    rest = [];
    restBytes = 0;
    return bytes;
  };
  const stream = createReadStream(path, { highWaterMark: pieceBytes, ...(signal ? { signal } : {}) });
  for await (const piece of stream as AsyncIterable<Buffer>) {
    const lines: Line[] = [];
    let start = 0;
    for (let end = piece.indexOf(newline); end !== -1; end = piece.indexOf(newline, start)) {
      lines.push({ bytes: join(piece.subarray(start, end)), number: ++number, isEnded: true });
      start = end + 1;
    }
    const tail = piece.subarray(start);
    restBytes += tail.length;
    if (restBytes > maxLineBytes) rest = [];
    else if (tail.length > 0) rest.push(tail);
    yield lines;
  }
  if (restBytes > 0) yield [{ bytes: join(Buffer.alloc(0)), number: number + 1, isEnded: false }];
}
