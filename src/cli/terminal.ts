/**
 * Terminal output: progress on standard error, and tables. Control characters in foreign text are
 * removed.
 */
import { shownJson, shownLine } from '../../packages/shared/src/language/invisible.ts';
import { countReportRows, type ReportRow } from '../ingest/ingest-source.ts';

export const print = (text: string) => void process.stdout.write(text);
export const warn = (line: string) => void process.stderr.write(`${line}\n`);
export const printJson = (value: unknown) => print(`${shownJson(value)}\n`);

/** Shows progress: one line for each finished source. */
export const showRow = ({
  status,
  source,
  error,
}: Pick<ReportRow, 'source' | 'error'> & { readonly status: string }) =>
  warn(
    `${status.padEnd(9)} ${shownLine(source)}${error ? ` (${error.code}: ${shownLine(error.message)})` : ''}`,
  );

/**
 * Text of a table cell without control characters, cut to `maxChars`. Escaped again after the cut,
 * which may split an emoji.
 */
export function cell(text: string, maxChars = Number.POSITIVE_INFINITY): string {
  const shown = shownLine(text);
  return shown.length > maxChars ? shownLine(`${shown.slice(0, maxChars - 1)}…`) : shown;
}

/**
 * Returns the lines of a table, or none if it has no rows.
 * @param head titles; a leading `>` aligns the column right
 * @param rows texts from `cell`
 */
export function tableLines(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  if (rows.length === 0) return [];
  const titles = head.map((title) => title.replace(/^>/, ''));
  const lengthOf = (text = '') => [...text].length;
  const widths = titles.map((title, column) =>
    rows.reduce((most, row) => Math.max(most, lengthOf(row[column])), title.length),
  );
  const pad = (text: string, column: number) =>
    text[head[column]?.startsWith('>') ? 'padStart' : 'padEnd'](widths[column] ?? 0);
  const render = (row: readonly string[]) => row.map(pad).join('  ').trimEnd();
  return [render(titles), render(widths.map((length) => '-'.repeat(length))), ...rows.map(render)];
}

const maxLines = 50;

export function summaryTable(namespace: string, rows: readonly ReportRow[]): string {
  const isQuiet = (row: ReportRow) => row.status === 'unchanged' || row.status === 'skipped';
  const interesting = rows.length <= maxLines ? [...rows] : rows.filter((row) => !isQuiet(row));
  interesting.sort((a, b) => Number(b.status === 'failed') - Number(a.status === 'failed'));
  const lines = interesting
    .slice(0, maxLines)
    .map(({ status, source, document, error }) => [
      status,
      cell(source, 60),
      document ? String(document.chunks) : '',
      cell(error?.message ?? document?.title ?? '', 160),
    ]);
  const counts = Object.entries(countReportRows(rows)).filter(([, count]) => count > 0);
  const left = interesting.length - lines.length;
  return [
    ...tableLines(['status', 'source', 'chunks', 'title or reason'], lines),
    ...(left > 0 ? [`… and ${left} more`] : []),
    '',
    `${namespace}: ${counts.map(([status, count]) => `${count} ${status}`).join(', ') || 'nothing to do'}`,
    '',
  ].join('\n');
}
