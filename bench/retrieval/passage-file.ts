/**
 * Passages as JSON Lines on disk, so that a process that measures its memory holds no text except
 * the engine's.
 */
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import type { Passage } from './collections.ts';

const batchSize = 1_000;
const bufferBytes = 1 << 20;

export function writePassages(path: string, passages: Iterator<Passage>, count: number): void {
  const file = openSync(path, 'w');
  for (let written = 0; written < count; ) {
    const lines: string[] = [];
    for (; lines.length < batchSize && written < count; written++)
      lines.push(`${JSON.stringify(passages.next().value)}\n`);
    writeSync(file, lines.join(''));
  }
  closeSync(file);
}

/** The first `count` passages in batches of a thousand. */
export function* readPassages(path: string, count: number): Generator<Passage[]> {
  const file = openSync(path, 'r');
  const buffer = Buffer.alloc(bufferBytes);
  let held = 0;
  let yielded = 0;
  let batch: Passage[] = [];
  while (yielded < count) {
    const read = readSync(file, buffer, held, bufferBytes - held, null);
    if (read === 0) break;
    held += read;
    let from = 0;
    for (
      let to = buffer.indexOf(0x0a);
      to >= 0 && to < held && yielded < count;
      to = buffer.indexOf(0x0a, from)
    ) {
      batch.push(JSON.parse(buffer.toString('utf8', from, to)));
      from = to + 1;
      yielded++;
      if (batch.length < batchSize) continue;
      yield batch;
      batch = [];
    }
    buffer.copyWithin(0, from, held);
    held -= from;
  }
  closeSync(file);
  if (batch.length > 0) yield batch;
}
