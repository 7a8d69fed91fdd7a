/** The end of an ingest as a table: what needs looking at, line by line, and how many there were of everything. */
import { countRows, type ReportRow } from '../knowledge/report.ts';
import { printable } from './progress.ts';

const maxLines = 50;
const maxSourceChars = 60;
const maxReasonChars = 160;

const cut = (text: string, length: number) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

export function summaryTable(namespace: string, rows: readonly ReportRow[]): string {
  const isQuiet = (row: ReportRow) => row.status === 'unchanged' || row.status === 'skipped';
  // Where there is much, what went wrong comes first.
  const interesting = rows.length <= maxLines ? [...rows] : rows.filter((row) => !isQuiet(row));
  interesting.sort((a, b) => Number(b.status === 'failed') - Number(a.status === 'failed'));
  const lines = interesting
    .slice(0, maxLines)
    .map(({ status, source, document, error }) => [
      status,
      cut(printable(source), maxSourceChars),
      document ? String(document.chunks) : '',
      cut(printable(error?.message ?? document?.title ?? ''), maxReasonChars),
    ]);
  const head = ['status', 'source', 'chunks', 'title or reason'];
  const widths = head.map((title, column) => Math.max(title.length, ...lines.map((line) => [...(line[column] ?? '')].length)));
  const render = (line: readonly string[]) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  const counts = Object.entries(countRows(rows)).filter(([, count]) => count > 0);
  const left = interesting.length - lines.length;
  return [
    ...(lines.length > 0 ? [render(head), render(widths.map((width) => '-'.repeat(width))), ...lines.map(render)] : []),
    ...(left > 0 ? [`… and ${left} more`] : []),
    '',
    `${namespace}: ${counts.map(([status, count]) => `${count} ${status}`).join(', ') || 'nothing to do'}`,
    '',
  ].join('\n');
}
