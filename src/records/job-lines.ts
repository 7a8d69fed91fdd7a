/**
 * Lines of stored jobs, each with a checksum: a damaged line could make a job read another address.
 * Each function changes one job.
 */
import { yieldToEventLoop } from '../../packages/shared/src/concurrency/event-loop.ts';
import { sealLine, unsealLine } from '../../packages/shared/src/disk/checksum.ts';
import { parseLine } from '../../packages/shared/src/disk/line-file.ts';
import { Job, type JobLine } from '../ingest/jobs/job.ts';
import type { Query, SqlDialect, StoreStatement } from './store.ts';

/** Lines per statement, because a statement blocks the event loop. */
export const pageLines = 100;

const putLine = 'INSERT INTO job_lines (job, line, document) VALUES ($1, $2, $3)';
const changeLine =
  'UPDATE job_lines SET line = $3, document = NULL WHERE job = $1 AND position = $2';
const firstLine = '(SELECT min(position) FROM job_lines WHERE job = $1)';
const changeFirst = `UPDATE job_lines SET line = $2 WHERE job = $1 AND position = ${firstLine}`;
const selectFirst = `SELECT position, line FROM job_lines WHERE job = $1 AND position = ${firstLine}`;
const selectNaming =
  'SELECT position, line FROM job_lines WHERE document = $2 AND job = $1 ORDER BY position';
/** Deletes from the end, so that the job stays readable until the last statement. */
const deleteSome = `
  DELETE FROM job_lines WHERE job = $1 AND position IN (SELECT position FROM job_lines
    WHERE job = $1 ORDER BY position DESC LIMIT $2)
  RETURNING position`;
const selectPage =
  'SELECT position, line FROM job_lines WHERE job = $1 AND position > $2 ORDER BY position LIMIT $3';
const deleteLines = ({ elementsOf }: SqlDialect) => `
  WITH places (place) AS (${elementsOf('$2')})
  DELETE FROM job_lines WHERE job = $1 AND position IN (SELECT CAST(place AS bigint) FROM places)`;

export interface Line {
  /** A string in PostgreSQL, a number in SQLite. */
  readonly position: string | number;
  readonly line: string;
}

export const readLine = ({ line }: Pick<Line, 'line'>) => parseLine(unsealLine(line) ?? '');
export const documentOf = (line: JobLine): string | null =>
  line.line === 'done' ? (line.row?.document?.id ?? null) : null;

/** @param query must run in a transaction */
export async function putLines(query: Query, id: string, lines: readonly JobLine[]): Promise<void> {
  for (const [at, line] of lines.entries()) {
    await query(putLine, [id, sealLine(line), documentOf(line)]);
    if (at % pageLines === pageLines - 1) await yieldToEventLoop();
  }
}

export async function removeLines(query: Query, id: string): Promise<void> {
  while ((await query(deleteSome, [id, pageLines])).length === pageLines) await yieldToEventLoop();
}

/** Removes a document from the lines of a job. @param query must run in a transaction */
export async function forgetInLines(
  query: Query,
  dialect: SqlDialect,
  id: string,
  documentId: string,
): Promise<void> {
  const [first] = await query<Line>(selectFirst, [id]);
  const naming = await query<Line>(selectNaming, [id, documentId]);
  let asked = first && readLine(first);
  for (const line of naming) {
    const job = Job.fromLines(id, [asked, readLine(line)]);
    job?.forget(documentId);
    const [nextAsked, done] = job?.lines() ?? [];
    asked = nextAsked ?? asked;
    if (done) await query(changeLine, [id, line.position, sealLine(done)]);
    else await query(deleteLines(dialect), [id, JSON.stringify([String(line.position)])]);
  }
  if (asked) await query(changeFirst, [id, sealLine(asked)]);
}

/** Lines of a job after `last`. */
export const pageAfter = (id: string, last?: Line): StoreStatement => [
  selectPage,
  [id, last?.position ?? 0, pageLines],
];

/**
 * Removes data that only a running job needs. Each page is an independent step. @param rows the
 * first page
 */
export async function compactLines(
  query: Query,
  dialect: SqlDialect,
  id: string,
  rows: readonly Line[],
): Promise<void> {
  for (; ; rows = await query<Line>(...pageAfter(id, rows.at(-1)))) {
    // Quotes inside texts are escaped, so these patterns match only fields.
    const over = rows
      .filter(({ line }) => line.includes('"line":"writing"'))
      .map(({ position }) => String(position));
    for (const row of rows.filter(({ line }) => line.includes('"found":['))) {
      const { found: _, ...done } = readLine(row) ?? {};
      if (done['row'] === undefined) over.push(String(row.position));
      else
        await query('UPDATE job_lines SET line = $3 WHERE job = $1 AND position = $2', [
          id,
          row.position,
          sealLine(done),
        ]);
    }
    if (over.length > 0) await query(deleteLines(dialect), [id, JSON.stringify(over)]);
    if (rows.length < pageLines) return;
    await yieldToEventLoop();
  }
}
