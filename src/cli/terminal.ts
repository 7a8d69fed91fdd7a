/**
 * Terminal output: progress on standard error, and tables. Control characters in foreign text are
 * removed.
 */

import { shownJson, shownLine } from '../../packages/shared/src/language/invisible.ts';
import { countReportRows, type ReportRow } from '../ingest/ingest-source.ts';

export interface Progress {
  row(row: Pick<ReportRow, 'source' | 'error'> & { readonly status: string }): void;
  /** The total may grow while pages and files are found. */
  total(tasks: number): void;
  end(message: string): void;
}

const barWidth = 30;
/** Returns to the start of the line and erases it (ECMA-48, EL). */
const newLine = '\r\x1b[2K';
const maxShownChars = 60;

export const print = (text: string) => void process.stdout.write(text);
export const warn = (line: string) => void process.stderr.write(`${line}\n`);
export const printJson = (value: unknown) => print(`${shownJson(value)}\n`);

const plainLines: Progress = {
  row: ({ status, source, error }) =>
    warn(
      `${status.padEnd(9)} ${shownLine(source)}${error ? ` (${error.code}: ${shownLine(error.message)})` : ''}`,
    ),
  total: () => undefined,
  end: () => undefined,
};

function bar(title: string): Progress {
  let tasks = 1;
  let done = 0;
  const show = (what: string) => {
    const filled = Math.floor((done / Math.max(done, tasks)) * barWidth);
    process.stderr.write(
      `${newLine}${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}  ${what}`,
    );
  };
  show(title);
  return {
    row({ source }) {
      done++;
      show(`${done} of ${tasks}: ${shownLine(source).slice(0, maxShownChars)}`);
    },
    total(found) {
      tasks = found;
    },
    end: (message) => void process.stderr.write(`${newLine}${message}\n`),
  };
}

export const createProgress = (title: string): Progress =>
  process.stderr.isTTY ? bar(title) : plainLines;

const cut = (text: string, maxChars: number) =>
  text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text;

/**
 * Text of a table cell without control characters, cut to `maxChars`. Escaped again after the cut,
 * which may split an emoji.
 */
export const cell = (text: string, maxChars = Number.POSITIVE_INFINITY): string =>
  shownLine(cut(shownLine(text), maxChars));

/**
 * Returns the lines of a table, or none if it has no rows.
 * @param head titles; a leading `>` aligns the column right
 * @param rows texts from `cell`
 * @param width maximum characters of a line; undefined: no limit
 */
export function tableLines(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  width = Number.POSITIVE_INFINITY,
): string[] {
  if (rows.length === 0) return [];
  const titles = head.map((title) => title.replace(/^>/, ''));
  const lengthOf = (text = '') => [...text].length;
  const widths = titles.map((title, column) =>
    rows.reduce((most, row) => Math.max(most, lengthOf(row[column])), title.length),
  );
  const render = (row: readonly string[]) => {
    const pad = (text: string, column: number) =>
      head[column]?.startsWith('>')
        ? text.padStart(widths[column] ?? 0)
        : text.padEnd(widths[column] ?? 0);
    return cut(row.map(pad).join('  ').trimEnd(), width);
  };
  return [render(titles), render(widths.map((length) => '-'.repeat(length))), ...rows.map(render)];
}

const maxLines = 50;
const maxReasonChars = 160;

export function summaryTable(namespace: string, rows: readonly ReportRow[]): string {
  const isQuiet = (row: ReportRow) => row.status === 'unchanged' || row.status === 'skipped';
  const interesting = rows.length <= maxLines ? [...rows] : rows.filter((row) => !isQuiet(row));
  interesting.sort((a, b) => Number(b.status === 'failed') - Number(a.status === 'failed'));
  const lines = interesting
    .slice(0, maxLines)
    .map(({ status, source, document, error }) => [
      status,
      cell(source, maxShownChars),
      document ? String(document.chunks) : '',
      cell(error?.message ?? document?.title ?? '', maxReasonChars),
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
