/**
 * A file of calls as people have it → its records, one after another: JSON Lines, one JSON array, pages as the platform answers them
 * (`{ "data": [ … ] }`, one or one on each line), CSV, TSV.
 */
import { readFile, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { CallsError } from '../errors.ts';
import { readLines } from '../log/read-lines.ts';
import { readTable } from './read-table.ts';

export interface GivenRecord {
  /** `line 3`, `record 12`. */
  readonly where: string;
  /** Undefined: it is no JSON. */
  readonly value: unknown;
}

/** What JSON that is not in lines may take: it has to be read at once. */
const maxWholeBytes = 256 * 1024 * 1024;

const refused = (message: string, cause?: unknown) => new CallsError('ERR_BAD_REQUEST', message, { status: 400, cause });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function membersOf(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  const data = typeof value === 'object' && value !== null && 'data' in value && !('sessionId' in value) ? value.data : undefined;
  return Array.isArray(data) ? data : undefined;
}

function* spread(value: unknown, where: string): Generator<GivenRecord> {
  const members = membersOf(value);
  if (!members) yield { where, value };
  else for (const [index, member] of members.entries()) yield* spread(member, `${where}, record ${index + 1}`);
}

async function readWhole(path: string): Promise<unknown> {
  if ((await stat(path)).size > maxWholeBytes) throw refused('The file is too large to be read at once; write one record on each line.');
  return parseJson((await readFile(path, 'utf8')).replace(/^\uFEFF/, ''));
}

async function* readJson(path: string): AsyncGenerator<GivenRecord> {
  let isFirst = true;
  for await (const lines of readLines(path))
    for (const { bytes, number } of lines) {
      const text = bytes?.toString('utf8').replace(/^\uFEFF/, '');
      if (text?.trim() === '') continue;
      const value = text === undefined ? undefined : parseJson(text);
      // JSON that is spread over lines begins with one that is none by itself.
      if (isFirst && (value === undefined || typeof value !== 'object')) {
        const whole = await readWhole(path);
        if (whole !== undefined) {
          yield* spread(whole, 'the file');
          return;
        }
      }
      isFirst = false;
      if (value === undefined) yield { where: `line ${number}`, value };
      else yield* spread(value, `line ${number}`);
    }
}

async function* readRows(path: string, delimiter: string): AsyncGenerator<GivenRecord> {
  try {
    for await (const { line, record } of readTable(path, delimiter)) yield { where: `line ${line}`, value: record };
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('CSV_'))
      throw refused('The file is not a table that can be read.', error);
    throw error;
  }
}

/** @throws CallsError `ERR_BAD_REQUEST` for a file that holds nothing of the kind */
export function readRecords(path: string): AsyncGenerator<GivenRecord> {
  const kind = extname(path).toLowerCase();
  if (kind === '.csv') return readRows(path, ',');
  return kind === '.tsv' ? readRows(path, '\t') : readJson(path);
}
