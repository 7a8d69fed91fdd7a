/**
 * Records (table rows, objects of a list) → Markdown whose passages can be read on their own.
 * Records with many or long values become sections. Short ones become tables that repeat their
 * header, so that each passage has one.
 */
import { cleanMarkdown } from '../markdown/parse-markdown.ts';
import { cellText, joinLines, writeDataTable } from './table-markdown.ts';

export type Records = Readonly<{
  columns: readonly string[];
  /** At most as long as `columns`. */
  rows: readonly (readonly string[])[];
}>;

/** In characters. */
const maxTableCell = 120;
const longestHeading = 200;

/** Columns or keys whose value names the record, best first. */
export const namingKeys = `
  question frage pregunta title titel titre name displayname subject betreff topic thema heading
  headline term begriff product produkt plan feature policy label bezeichnung summary issue
`
  .trim()
  .split(/\s+/);
const identifier = /^(?:.*\b)?(?:id|uuid|key|code|slug|number|nr|no|#)$/i;
const answerColumn =
  /^(?:a|answer|answers|antwort|antworten|respuesta|response|reply|body|text|content|description|definition|meaning|value|inhalt)$/i;

const plain = (name: string) => name.replace(/[_-]+/g, ' ').trim();
const headingMark = /^ {0,3}#{1,6}[ \t]+(.*)$/gm;
const withoutEndMark = (heading: string) => heading.replace(/(?<![^ \t])#+$/, '').trimEnd();

/** Returns a value as one line without HTML. */
export function inlineValue(value: string): string {
  const trimmed = value.trim();
  if (!trimmed || (trimmed.length < 400 && !/<[a-z/!]|&#?\w{1,8};|[`\n]|!\[/i.test(trimmed)))
    return trimmed.replace(/[ \t]{2,}/g, ' ');
  return joinLines(
    cleanMarkdown(trimmed, false)
      .replace(/^(?:`{3,}|~{3,}).*$/gm, '')
      .replace(headingMark, (_, text: string) => withoutEndMark(text)),
  );
}

/** Returns a value as paragraphs. Its headings become bold text. */
export const blockValue = (value: string): string =>
  cleanMarkdown(value, false).replace(
    headingMark,
    (_, text: string) => `**${withoutEndMark(text)}**`,
  );

const asHeading = (level: number, text: string) => {
  const line = inlineValue(text).replaceAll('**', '');
  const short =
    line.length > longestHeading
      ? `${line.slice(0, longestHeading).replace(/(?<!\s)\s+\S*$/, '')}…`
      : line;
  return `${'#'.repeat(level)} ${short}`;
};

function withoutEmptyColumns({ columns, rows }: Records) {
  const used = columns.map((_, column) => rows.some((row) => (row[column] ?? '').trim() !== ''));
  const keep = (cells: readonly string[]) => cells.filter((_, column) => used[column]);
  return { columns: keep(columns), rows: rows.map(keep) };
}

type ColumnShape = ReturnType<typeof columnShapes>[number];

function columnShapes({ columns, rows }: Records) {
  return columns.map((_, column) => {
    const cells = rows.map((row) => (row[column] ?? '').trim()).filter(Boolean);
    const long = cells.filter((cell) => cell.length > maxTableCell || cell.includes('\n'));
    return {
      // Empty cells are excluded.
      averageChars: cells.reduce((sum, cell) => sum + cell.length, 0) / Math.max(1, cells.length),
      // A few cells may be longer.
      isLong: long.length > cells.length * 0.02,
      // Its values are distinct enough to name their rows.
      isName:
        new Set(cells).size > rows.length * 0.8 &&
        !cells.every((cell) => /^[\d\s.,:%€$£+/-]+$/.test(cell)),
    };
  });
}

function nameOf({ columns }: Records, shapes: readonly ColumnShape[]) {
  const names = columns.map((column) => plain(column).toLowerCase());
  const fits = (column: number) => (shapes[column]?.averageChars ?? 0) < 150;
  const byName = namingKeys
    .map((name) =>
      names.findIndex(
        (column, index) => (column === name || column === `${name} name`) && fits(index),
      ),
    )
    .find((column) => column >= 0);
  const text = shapes.findIndex(
    ({ isName }, index) => isName && fits(index) && !identifier.test(names[index] ?? ''),
  );
  return byName ?? Math.max(0, text);
}

function tables({ columns, rows }: Records) {
  const header = columns.map((column) => cellText(inlineValue(column)));
  const body = rows.map((row) =>
    columns.map((_, column) => cellText(inlineValue(row[column] ?? ''))),
  );
  const words = body.flat().reduce((sum, cell) => sum + 1 + cell.split(' ').length, 0);
  // A table fits a passage of about 200 words.
  const perTable = Math.min(20, Math.ceil((160 * body.length) / words));
  const parts = Map.groupBy(body.entries(), ([index]) => Math.floor(index / perTable)).values();
  return parts
    .map((part) => writeDataTable([header, ...part.map(([, row]) => row)]))
    .toArray()
    .join('\n\n');
}

function sections(records: Records, shapes: readonly ColumnShape[], level: number) {
  const { columns, rows } = records;
  const name = nameOf(records, shapes);
  const isAnswer = columns.length === 2 && answerColumn.test(plain(columns[1 - name] ?? ''));
  const labels = columns.map((column) => inlineValue(column).replaceAll('**', ''));
  return rows
    .map((row, index) => {
      const heading = asHeading(
        level,
        (row[name] ?? '').trim() || `${columns[name] ?? 'Row'} ${index + 1}`,
      );
      const isCut = heading.endsWith('…');
      const values = row.flatMap((value, column) => {
        if (!value.trim() || (column === name && !isCut)) return [];
        return isAnswer && column !== name ? blockValue(value) : field(labels[column] ?? '', value);
      });
      return `${heading}\n\n${joinFields(values)}`.trim();
    })
    .join('\n\n');
}

/**
 * `- **name**: value`, or the name followed by paragraphs if the value is long and has several
 * lines.
 */
export function field(label: string, value: string): string {
  const isLong = value.includes('\n') && value.trim().length > maxTableCell;
  return isLong ? `**${label}**:\n\n${blockValue(value)}` : `- **${label}**: ${inlineValue(value)}`;
}

/** Consecutive list items form one list; a blank line separates all other fields. */
export const joinFields = (fields: readonly string[]): string =>
  fields
    .map((text, index) =>
      index === 0
        ? text
        : `${text.startsWith('- ') && fields[index - 1]?.startsWith('- ') ? '\n' : '\n\n'}${text}`,
    )
    .join('');

function list({ columns: [column = ''], rows }: Records, isProse: boolean, level: number) {
  const values = rows
    .map(([value = '']) => (isProse ? blockValue(value) : `- ${inlineValue(value)}`))
    .join(isProse ? '\n\n' : '\n');
  return column === 'Column 1' ? values : `${asHeading(level, column)}\n\n${values}`;
}

function isFaq({ columns: [first = '', second = '', ...others] }: Records, rowChars: number) {
  if (others.length > 0 || !answerColumn.test(plain(second))) return false;
  // A shorter term and its definition become a table row. Questions never do.
  return rowChars > 60 || /^(?:q|question|frage|pregunta)s?$/i.test(plain(first));
}

/** @param level heading level of the sections */
export function recordsToMarkdown(records: Records, level: number): string {
  const filled = records.rows.filter((row) => row.some((cell) => cell.trim()));
  const used = withoutEmptyColumns({ columns: records.columns, rows: filled });
  if (used.rows.length === 0) return '';
  const shapes = columnShapes(used);
  const rowChars = shapes.reduce((sum, { averageChars }) => sum + averageChars, 0);
  if (used.columns.length === 1) return list(used, rowChars > maxTableCell, level);
  const isNarrow =
    used.columns.length <= 6 && rowChars <= 240 && !shapes.some(({ isLong }) => isLong);
  return isNarrow && !isFaq(used, rowChars) ? tables(used) : sections(used, shapes, level);
}
