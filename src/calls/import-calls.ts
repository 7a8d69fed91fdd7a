/**
 * Imports records into the calls file: JSON Lines, a JSON array, pages of the platform's API (`{
 * "data": [ … ] }`, also one per line), CSV, TSV. Checks each record and replaces records of the
 * same session. Replaces the file atomically.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, extname } from 'node:path';
import { parse } from 'csv-parse/sync';
import {
  isCallRecord,
  isJsonFields,
  jsonOf,
  toNumber,
} from '../../packages/calls/src/call-record.ts';
import { badRequest } from '../../packages/calls/src/errors.ts';
import { callFields, type RecordField, type RecordFields } from '../../packages/calls/src/types.ts';
import { replaceFile } from '../disk/replace-file.ts';
import { linesIn, parseCallLine } from './call-log.ts';

type GivenRecord = Readonly<{ where: string; value: unknown }>;

const maxProblems = 50;
const maxWholeBytes = 256 * 1024 * 1024;
const maxRowChars = 1_000_000;
const lineEnd = Buffer.from('\n');

const contentOf = (path: string): Promise<Buffer> =>
  readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  });

function* recordsIn(value: unknown, where: string): Generator<GivenRecord> {
  const members = isJsonFields(value) && !('sessionId' in value) ? (value['data'] ?? value) : value;
  if (!Array.isArray(members)) yield { where, value };
  else
    for (const [index, member] of members.entries())
      yield* recordsIn(member, `${where}, record ${index + 1}`);
}

function readWhole(content: Buffer): unknown {
  if (content.length > maxWholeBytes)
    throw badRequest(`The file is larger than ${maxWholeBytes} bytes. Write one record per line.`);
  return jsonOf(content.toString('utf8').replace(/^\uFEFF/, ''));
}

function* readJson(content: Buffer): Generator<GivenRecord> {
  let isFirst = true;
  for (const line of linesIn(content)) {
    const value = parseCallLine(line.content);
    // The first line of multi-line JSON is not valid JSON.
    const whole =
      isFirst && (value === undefined || typeof value !== 'object')
        ? readWhole(content)
        : undefined;
    if (whole !== undefined) return yield* recordsIn(whole, 'the file');
    isFirst = false;
    yield* recordsIn(value, `line ${line.number}`);
  }
}

const fieldNames = new Map(Object.keys(callFields).map((name) => [name.toLowerCase(), name]));
const isTime = (name: string) => name.endsWith('edAt');

/** Ignores case, spaces and underscores. Unknown columns keep their title. */
const fieldOf = (title: string) =>
  fieldNames.get(title.replace(/[\s_-]/g, '').toLowerCase()) ?? title.trim();

function valueOfCell(name: string, cell: string): unknown {
  const kind = (callFields as RecordFields)[name]?.kind;
  if (kind === 'number') {
    if (Number.isFinite(Number(cell))) return Number(cell);
    const moment = isTime(name) ? Date.parse(cell) : Number.NaN;
    return Number.isNaN(moment) ? cell : Math.floor(moment / 1000);
  }
  if (kind === 'boolean' && /^(?:true|yes|1)$/i.test(cell)) return true;
  if (kind === 'boolean' && /^(?:false|no|0)$/i.test(cell)) return false;
  return kind === 'array' || kind === 'union' ? (jsonOf(cell) ?? cell) : cell;
}

type Row = {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number };
};

function readTable(content: Buffer, delimiter: string): GivenRecord[] {
  const columns = (titles: string[]) => titles.map(fieldOf);
  const form = {
    bom: true,
    relax_column_count: true,
    skip_empty_lines: true,
    info: true,
    max_record_size: maxRowChars,
  } as const;
  try {
    const rows: unknown[] = parse(content, { delimiter, columns, ...form });
    return (rows as Row[]).map(({ record, info }) => {
      const given = Object.entries(record).filter(
        ([, cell]) => typeof cell === 'string' && cell.trim() !== '',
      );
      const fields = given.map(([name, cell]) => [name, valueOfCell(name, cell.trim())]);
      return {
        where: `line ${info.lines}`,
        value: { participants: [], ...Object.fromEntries(fields) },
      };
    });
  } catch (error) {
    throw badRequest('The file is not valid CSV or TSV. Check its quotes and columns.', error);
  }
}

async function readRecords(path: string): Promise<Iterable<GivenRecord>> {
  const [kind, content] = [extname(path).toLowerCase(), await readFile(path)];
  if (kind === '.csv') return readTable(content, ',');
  return kind === '.tsv' ? readTable(content, '\t') : readJson(content);
}

type Check = readonly [isValid: (value: unknown) => boolean, expected: string];

const checks: Readonly<Record<RecordField['kind'], Check>> = {
  number: [
    (value) => toNumber(value) >= 0 && toNumber(value) < Number.POSITIVE_INFINITY,
    'a number from 0',
  ],
  string: [(value) => typeof value === 'string', 'a text'],
  boolean: [(value) => typeof value === 'boolean', 'true or false'],
  array: [
    (value) =>
      Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null),
    'a list of objects',
  ],
  union: [(value) => typeof value === 'object', 'an object or a list'],
};
/** Rejects milliseconds, which would be dates in the far future. */
const timeCheck: Check = [
  (value) => /^\d{10}$/.test(String(Math.floor(toNumber(value)))),
  'unix seconds with ten digits',
];
/** Fields that no filter uses. */
const unchecked: readonly string[] = ['totalDuration', 'tags'];

/**
 * Returns an error message, or undefined if all known fields have the right type. Unknown fields
 * pass.
 */
function findProblem(value: unknown): string | undefined {
  if (value === undefined) return 'This is not valid JSON.';
  if (!isJsonFields(value)) return 'This is not a call record.';
  const isGiven = (name: string) => value[name] !== undefined && value[name] !== null;
  if (!sessionIdOf(value)) return 'sessionId is missing.';
  if (!isGiven('initiatedAt')) return 'initiatedAt is missing.';
  for (const [name, { kind }] of Object.entries(callFields)) {
    const all = isTime(name) ? [checks[kind], timeCheck] : [checks[kind]];
    const failed =
      isGiven(name) && !unchecked.includes(name) && all.find(([isValid]) => !isValid(value[name]));
    if (failed) return `${name} must be ${failed[1]}.`;
  }
  return isCallRecord(value) ? undefined : 'This is not a call record.';
}

function sessionIdOf(value: unknown): string {
  const sessionId = isJsonFields(value) ? value['sessionId'] : undefined;
  return typeof sessionId === 'string' ? sessionId : '';
}

/** `where`: `line 3` or `the file, record 2`. */
type ImportProblem = Readonly<{ where: string; problem: string }>;
/** `problems`: the first 50. */
type ImportReport = Readonly<
  Record<'added' | 'updated' | 'unchanged' | 'failed', number> & {
    problems: readonly ImportProblem[];
  }
>;

/** @throws CallsError if the file `from` cannot be parsed */
export async function importCalls({
  from,
  into,
}: {
  readonly from: string;
  readonly into: string;
}): Promise<ImportReport> {
  const given = new Map<string, string>();
  const problems: ImportProblem[] = [];
  let failed = 0;
  for (const { where, value } of await readRecords(from)) {
    const problem = findProblem(value);
    if (problem === undefined) given.set(sessionIdOf(value), JSON.stringify(value));
    else if (++failed <= maxProblems) problems.push({ where, problem });
  }

  /**
   * Lines by session, or by line number if they have no session. The last line of a session wins,
   * as in the log.
   */
  const lines = new Map<string | number, Buffer>();
  for (const { number, content } of linesIn(await contentOf(into)))
    lines.set(sessionIdOf(parseCallLine(content)) || number, content);
  const counts = { added: 0, updated: 0, unchanged: 0 };
  for (const [sessionId, text] of given) {
    const stored = lines.get(sessionId);
    if (!stored) counts.added++;
    else if (JSON.stringify(parseCallLine(stored)) === text) counts.unchanged++;
    else counts.updated++;
    lines.set(sessionId, Buffer.from(text));
  }
  if (counts.added + counts.updated > 0) {
    const content = Buffer.concat([...lines.values()].flatMap((line) => [line, lineEnd]));
    await mkdir(dirname(into), { recursive: true });
    await replaceFile(into, (file) => file.writeFile(content), { mode: 0o644 });
  }
  return { ...counts, failed, problems };
}
