/** A file of JSON Lines → a table. A line that is no call record is counted and told, and never costs the others. */
import { createTableBuilder } from './build-table.ts';
import { toFields } from './call-fields.ts';
import type { CallTable } from './call-table.ts';
import { type Line, readLines } from './read-lines.ts';

export interface LoadedTable {
  readonly table: CallTable;
  readonly badLines: number;
  /** The first of them, as sentences. */
  readonly problems: readonly string[];
  /** The last line has no end and is no record: somebody is still writing. */
  readonly isTorn: boolean;
}

const maxProblems = 5;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

const isBlank = (bytes: Buffer) => bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);

function parse(bytes: Buffer | undefined): unknown {
  if (!bytes) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

function problemOf({ bytes, number }: Line, value: unknown): string {
  if (!bytes) return `Line ${number} is longer than a call record can be.`;
  return value === undefined ? `Line ${number} is not valid JSON.` : `Line ${number} has no sessionId or no initiatedAt.`;
}

/** @throws what the file system says, where the file cannot be read */
export async function loadTable(path: string, signal?: AbortSignal): Promise<LoadedTable> {
  const builder = createTableBuilder();
  const problems: string[] = [];
  let badLines = 0;
  let isTorn = false;
  for await (const lines of readLines(path, signal)) {
    for (const line of lines) {
      const bytes = line.number === 1 && line.bytes?.subarray(0, 3).equals(byteOrderMark) ? line.bytes.subarray(3) : line.bytes;
      const value = parse(bytes);
      const fields = toFields(value);
      if (fields && bytes) {
        builder.add(fields, bytes);
        continue;
      }
      if (bytes && isBlank(bytes)) continue;
      badLines++;
      isTorn = !line.isEnded;
      if (problems.length < maxProblems) problems.push(problemOf(line, value));
    }
  }
  return { table: await builder.finish(), badLines, problems, isTorn };
}
