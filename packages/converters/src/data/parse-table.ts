/**
 * CSV and TSV → Markdown. Tolerates quotes inside cells, rows of unequal length and another
 * delimiter than the file name implies. If a quote never closes, quotes count as ordinary
 * characters, so that no row is lost.
 */
import { parse } from 'csv-parse/sync';
import { KnowledgeError, systemErrorCode } from '../../../shared/src/errors.ts';
import { withoutInvisible } from '../../../shared/src/language/invisible.ts';
import { overLimit, type ParsedSource } from '../source.ts';
import { recordsToMarkdown } from './records-markdown.ts';

const maxRows = 100_000;
const maxColumns = 500;
const maxCells = 3_000_000;
const maxCellChars = 100_000;

function read(text: string, delimiter: string, hasQuotes: boolean) {
  try {
    return parse(text, {
      delimiter,
      quote: hasQuotes ? '"' : null,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      max_record_size: maxCellChars * 10,
      to: maxRows + 2,
    });
  } catch (error) {
    if (systemErrorCode(error) === 'CSV_MAX_RECORD_SIZE')
      throw overLimit(
        `A table row is longer than ${maxCellChars * 10} characters. Split the file.`,
      );
    throw error;
  }
}

/**
 * Returns the delimiter that divides the sampled lines most evenly, into most columns; the preferred
 * one of equals. Tabs come first: they are not part of a text.
 */
function delimiterOf(text: string, preferred: string) {
  const lines = text
    .slice(0, 100_000)
    .replace(/"(?:[^"]|""){0,10000}"/g, '""')
    .split('\n')
    .filter((line) => line.trim())
    .slice(0, 20);
  const measured = [preferred, ',', ';', '\t', '|'].map((delimiter) => {
    const [cells = 1, ...others] = lines.map((line) => line.split(delimiter).length);
    const even = 1 + others.filter((count) => count === cells).length;
    return { delimiter, cells, even, isTab: Number(delimiter === '\t') };
  });
  const [best] = measured
    .filter(({ cells, even }) => cells > 1 && even > lines.length * 0.6)
    .sort((a, b) => b.isTab - a.isTab || b.even - a.even || b.cells - a.cells);
  return best?.delimiter ?? preferred;
}

function rowsOf(text: string, delimiter: string) {
  let rows: string[][];
  try {
    rows = read(text, delimiter, true);
  } catch (error) {
    if (error instanceof KnowledgeError) throw error;
    rows = read(text, delimiter, false);
  }
  if (rows.length > maxRows + 1)
    throw overLimit(`The table has more than ${maxRows} rows. Split the file.`);
  let cells = 0;
  for (const row of rows) {
    if (row.length > maxColumns) throw overLimit(`The table has more than ${maxColumns} columns.`);
    cells += row.length;
    if (row.some((cell) => cell.length > maxCellChars))
      throw overLimit(`A table cell is longer than ${maxCellChars} characters.`);
  }
  if (cells > maxCells)
    throw overLimit(`The table has more than ${maxCells} cells. Split the file.`);
  return rows;
}

const isFigure = (cell: string) => /^[\s\d.,:;%€$£+()/-]+$/.test(cell) && /\d/.test(cell);
const isValue = (cell: string) =>
  isFigure(cell) ||
  /^(?:true|false|yes|no|null|n\/a)$/i.test(cell) ||
  /^[^\s@]+@[^\s.]+(?:\.[^\s.]+)+$|^https?:\/\//.test(cell);
/** Values that also name columns: `No` for a number, the years of a balance. */
const values = [/^(?:yes|no)$/i, /^(?:19|20)\d\d(?:[/-]\d\d(?:\d\d)?)?$/];
const isSentence = (cell: string) => /[.!]$/.test(cell) && cell.split(/\s+/).length > 2;

/** Whether a name occurs twice and is also a value of its column, as in a row of data. */
const isRepeatedValue = (name: string, column: number, rows: readonly (readonly string[])[]) =>
  (rows[0] ?? []).filter((cell) => cell.trim().toLowerCase() === name).length > 1 &&
  rows.slice(1).some((row) => row[column]?.trim().toLowerCase() === name);

/** Whether the first row names the columns: short names that are not values. */
function hasHeader(all: readonly (readonly string[])[]) {
  const [first = [], ...rows] = all;
  const names = first.map((cell) => cell.trim()).filter(Boolean);
  if (rows.length === 0 || names.length < Math.ceil(first.length / 2)) return false;
  const isName = (name: string, column: number) => {
    const kind = values.find((one) => one.test(name));
    return kind && !isFigure(first[0] ?? '')
      ? !kind.test(rows[0]?.[column]?.trim() ?? '')
      : !isValue(name);
  };
  const isOther = (cell: string, column: number) => {
    const name = cell.trim();
    return (
      name !== '' && (!isName(name, column) || isRepeatedValue(name.toLowerCase(), column, all))
    );
  };
  if (
    first.some(isOther) ||
    names.some((name) => name.length > 80 || name.includes('\n') || isSentence(name))
  )
    return false;
  return !(
    first.length > 1 &&
    names.some((name) => name.endsWith('?')) &&
    names.every((name) => name.length > 20)
  );
}

/** `Fee`, `Fee (2)` for two columns of the same name. */
function distinct(names: readonly string[]) {
  const counts = new Map<string, number>();
  return names.map((name) => {
    const count = (counts.get(name.toLowerCase()) ?? 0) + 1;
    counts.set(name.toLowerCase(), count);
    return count === 1 ? name : `${name} (${count})`;
  });
}

const filledCells = (row: readonly string[]) => row.filter((cell) => cell.trim()).length;

/** @param delimiter implied by the format */
export async function parseCsv(text: string, delimiter: string): Promise<ParsedSource> {
  const [statement = '', stated = delimiter] = /^(?:sep=([^"\r\n])\r?\n)?/i.exec(text) ?? [];
  const source = withoutInvisible(text.slice(statement.length));
  const rows = rowsOf(source, delimiterOf(source, stated)).filter((row) => filledCells(row) > 0);
  // Some exports put title rows, which have one cell, above the header.
  const above = rows.slice(0, 3).findIndex((row) => filledCells(row) > 1);
  const banners = above > 0 && rows.length > above + 1 ? rows.splice(0, above) : [];
  const columns = rows.reduce((widest, row) => Math.max(widest, row.length), 0);
  const header = hasHeader(rows) ? (rows.shift() ?? []) : [];
  const named = (_: unknown, column: number) => header[column]?.trim() || `Column ${column + 1}`;
  const names = distinct(Array.from({ length: columns }, named));
  const preface = banners.map((row) => row.join(' ').trim()).join('\n\n');
  const markdown =
    recordsToMarkdown({ columns: names, rows }, 2) ||
    names.filter((name) => !/^Column \d+$/.test(name)).join(', ');
  return { title: undefined, markdown: preface ? `${preface}\n\n${markdown}` : markdown };
}
