/**
 * The lines of the records as they were written, packed by some dozens and compressed (zstd): a million calls of a kilobyte take 200 MB,
 * a page of them is unpacked in about two milliseconds, and whatever happens to the file meanwhile, the answer stays.
 */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** Of one block before it is packed; a line that is longer is a block of its own. */
const blockBytes = 48 * 1024;
/** Blocks that stay unpacked: pages follow one another. */
const keptBlocks = 64;
const options = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export interface LinePlace {
  readonly block: number;
  /** Bytes into the unpacked block. */
  readonly start: number;
  readonly length: number;
}

export interface LineBlocks {
  read(place: LinePlace): string;
  /** What they take packed. */
  readonly bytes: number;
}

export interface LineBlocksBuilder {
  /** Keeps a copy of the line. @returns where it can be read again */
  add(line: Uint8Array): LinePlace;
  finish(): LineBlocks;
}

function createReader(packed: readonly Buffer[]): LineBlocks {
  const kept = new Map<number, Buffer>();
  const unpack = (block: number): Buffer => {
    const known = kept.get(block);
    if (known) return known;
    const bytes = zstdDecompressSync(packed[block] as Buffer);
    kept.set(block, bytes);
    for (const oldest of kept.keys()) {
      if (kept.size <= keptBlocks) break;
      kept.delete(oldest);
    }
    return bytes;
  };
  return {
    read: ({ block, start, length }) => unpack(block).toString('utf8', start, start + length),
    bytes: packed.reduce((sum, { length }) => sum + length, 0),
  };
}

export function createLineBlocks(): LineBlocksBuilder {
  const packed: Buffer[] = [];
  let open = Buffer.allocUnsafeSlow(blockBytes);
  let used = 0;
  function close(): void {
    if (used === 0) return;
    // What zlib gives is a part of a larger buffer, which would stay.
    const bytes = zstdCompressSync(open.subarray(0, used), options);
    const copy = Buffer.allocUnsafeSlow(bytes.length);
    copy.set(bytes);
    packed.push(copy);
    used = 0;
  }
  return {
    add(line) {
      if (used + line.length > blockBytes) close();
      if (line.length > open.length) open = Buffer.allocUnsafeSlow(line.length);
      open.set(line, used);
      used += line.length;
      return { block: packed.length, start: used - line.length, length: line.length };
    },
    finish() {
      close();
      return createReader(packed);
    },
  };
}
