/** Headers of tables whose rows are read without them. */

import { holdsActiveMarkup } from '../markdown/active-markup.ts';
import { segments } from './segments.ts';

/** Returns the first two lines of the table in whose middle an offset is. */
export function tableHeaderAt(text: string, offset: number): string | undefined {
  if (text[offset] !== '|') return undefined;
  const start = Math.max(0, text.lastIndexOf('\n\n', offset - 1) + 2);
  const [header = '', frame = ''] = text.slice(start, offset).split('\n', 2);
  const isTable = header.startsWith('|') && /^\|[-:| ]{3,}$/.test(frame);
  return isTable ? `${header}\n${frame}\n` : undefined;
}

const cellsOf = (row: string) => {
  const inner = row.trim().replace(/^\||\|$/g, '');
  return inner.split(/(?<!\\)\|/).length;
};
const flat = (row: string) =>
  row.replace(/\s*(\|)\s*|\s+/g, (_, bar?: string) => bar ?? ' ').trim();

/**
 * Returns the header of a row in its passage, with the line below it. @param written that of a row
 * that the passage does not have; empty: without words
 */
export function rowHeader(row: string, passage: string, written?: string): string | undefined {
  const unit = [...segments(passage)].find(
    ({ kind, start, end }) => kind === 'row' && flat(passage.slice(start, end)) === flat(row),
  );
  const cells = cellsOf(row);
  const isHeader = (one: string | undefined) =>
    one !== undefined && one !== '' && !holdsActiveMarkup(one) && cellsOf(one) === cells;
  const own = unit?.header && passage.slice(unit.header.start, unit.header.end).trim();
  const blank = written === undefined ? undefined : `|${' |'.repeat(cells)}`;
  const header = [own, written].find(isHeader) ?? blank;
  return header && `${header}\n|${' --- |'.repeat(cells)}`;
}
