/** The end of an ingest as a table: what needs looking at, line by line, and how many there were of everything. */
import { countRows, type ReportRow } from '../knowledge/report.ts';
import { cell, tableLines } from './table.ts';

const maxLines = 50;
const maxSourceChars = 60;
const maxReasonChars = 160;

export function summaryTable(namespace: string, rows: readonly ReportRow[]): string {
  const isQuiet = (row: ReportRow) => row.status === 'unchanged' || row.status === 'skipped';
  // Where there is much, what went wrong comes first.
  const interesting = rows.length <= maxLines ? [...rows] : rows.filter((row) => !isQuiet(row));
  interesting.sort((a, b) => Number(b.status === 'failed') - Number(a.status === 'failed'));
  const lines = interesting
    .slice(0, maxLines)
    .map(({ status, source, document, error }) => [
      status,
      cell(source, maxSourceChars),
      document ? String(document.chunks) : '',
      cell(error?.message ?? document?.title ?? '', maxReasonChars),
    ]);
  const counts = Object.entries(countRows(rows)).filter(([, count]) => count > 0);
  const left = interesting.length - lines.length;
  return [
    ...tableLines(['status', 'source', 'chunks', 'title or reason'], lines),
    ...(left > 0 ? [`… and ${left} more`] : []),
    '',
    `${namespace}: ${counts.map(([status, count]) => `${count} ${status}`).join(', ') || 'nothing to do'}`,
    '',
  ].join('\n');
}
