/**
 * Records of a file into the calls file: each is checked, those of a session that is there already take its place, all others stay as they
 * are written. The calls file is replaced in one step, so that a log that serves it never sees half of it.
 */
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { finished } from 'node:stream/promises';
import { readLines } from '../log/read-lines.ts';
import { problemOf } from './check-record.ts';
import { readRecords } from './read-records.ts';

export interface ImportProblem {
  readonly where: string;
  readonly problem: string;
}

export interface ImportReport {
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
  /** The first of them. */
  readonly problems: readonly ImportProblem[];
}

export interface ImportOptions {
  readonly from: string;
  readonly into: string;
  /** Called now and then with the number of records read and lines written. */
  readonly onProgress?: (step: 'read' | 'written', count: number) => void;
}

const maxProblems = 50;
const progressEvery = 10_000;

interface Given {
  readonly lines: Map<string, string>;
  readonly problems: ImportProblem[];
  readonly failed: number;
}

async function readGiven(from: string, onProgress: NonNullable<ImportOptions['onProgress']>): Promise<Given> {
  const lines = new Map<string, string>();
  const problems: ImportProblem[] = [];
  let [failed, read] = [0, 0];
  for await (const { where, value } of readRecords(from)) {
    if (++read % progressEvery === 0) onProgress('read', read);
    const problem = value === undefined ? 'This is not valid JSON.' : problemOf(value);
    if (problem === undefined) {
      lines.set((value as { sessionId: string }).sessionId, JSON.stringify(value));
      continue;
    }
    failed++;
    if (problems.length < maxProblems) problems.push({ where, problem });
  }
  return { lines, problems, failed };
}

function parsed(bytes: Buffer | undefined): { readonly sessionId?: unknown } | undefined {
  try {
    const value: unknown = bytes && JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Lines of a file; none where there is no such file. */
async function* linesOf(path: string) {
  try {
    yield* readLines(path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}

/** @throws CallsError where `from` cannot be understood, and what the file system says */
export async function importCalls({ from, into, onProgress = () => undefined }: ImportOptions): Promise<ImportReport> {
  const { lines, problems, failed } = await readGiven(from, onProgress);
  // What the log serves of a session is its last line.
  const stored = new Map<string, boolean>();
  for await (const piece of linesOf(into))
    for (const { bytes } of piece) {
      const value = parsed(bytes);
      const line = typeof value?.sessionId === 'string' ? lines.get(value.sessionId) : undefined;
      if (line !== undefined) stored.set(String(value?.sessionId), JSON.stringify(value) === line);
    }
  const same = [...stored].flatMap(([sessionId, isSame]) => (isSame ? [sessionId] : []));
  for (const sessionId of same) lines.delete(sessionId);
  const updated = stored.size - same.length;
  const report = { added: lines.size - updated, updated, unchanged: same.length, failed, problems };
  if (lines.size > 0) await write(into, lines, onProgress);
  return report;
}

async function write(
  into: string,
  lines: ReadonlyMap<string, string>,
  onProgress: NonNullable<ImportOptions['onProgress']>,
): Promise<void> {
  await mkdir(dirname(into), { recursive: true });
  const temporary = `${into}.${randomUUID()}.tmp`;
  let written = 0;
  try {
    const out = createWriteStream(temporary, { flags: 'wx' });
    const failure = finished(out);
    failure.catch(() => undefined);
    const put = async (text: string | Buffer) => {
      if (++written % progressEvery === 0) onProgress('written', written);
      if (!out.write(text)) await Promise.race([new Promise<void>((resolve) => out.once('drain', resolve)), failure]);
    };
    for await (const piece of linesOf(into))
      for (const { bytes } of piece) {
        const sessionId = parsed(bytes)?.sessionId;
        if (bytes && bytes.length > 0 && !(typeof sessionId === 'string' && lines.has(sessionId))) await put(`${bytes.toString('utf8')}\n`);
      }
    for (const line of lines.values()) await put(`${line}\n`);
    out.end();
    await failure;
    const file = await open(temporary, 'r');
    await file.sync().finally(() => file.close());
    await rename(temporary, into);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
