/**
 * Supported sentences → the body of an answer, piece by piece: prose runs on, list items and code keep their own lines, table rows stand
 * under the header that they have in their passage. Every piece ends in the number of its citation.
 */

import { segments, type TextSegment } from '../language/segments.ts';
import { holdsActiveMarkup } from '../markdown/active-markup.ts';

export interface LayoutPart {
  readonly text: string;
  readonly indexes: readonly number[];
  readonly kind: TextSegment['kind'];
  readonly marker?: string | undefined;
  /** Whether it is a further sentence of the list item before it. */
  readonly continuesItem?: boolean;
  readonly passage: string;
}

/** Takes the next piece, gives what it adds to the body. */
export type LayOut = (piece: LayoutPart) => string;

const cellsOf = (row: string) =>
  row
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/).length;

const flat = (row: string) => row.replace(/\s+/g, ' ').trim();

/** The header above a row in its passage, with the line below it; nothing where there is none. */
function headerOf(row: string, passage: string): string | undefined {
  const unit = [...segments(passage)].find(({ kind, start, end }) => kind === 'row' && flat(passage.slice(start, end)) === flat(row));
  const header = unit?.header && passage.slice(unit.header.start, unit.header.end).trim();
  if (!header || holdsActiveMarkup(header) || cellsOf(header) !== cellsOf(row)) return undefined;
  return `${header}\n|${' --- |'.repeat(cellsOf(header))}`;
}

const fenceFor = (code: string) => '`'.repeat(Math.max(3, ...[...code.matchAll(/`+/g)].map(([run]) => run.length + 1)));

const itemLine = ({ marker = '-', continuesItem }: LayoutPart, marked: string, lineBreak: string) =>
  continuesItem ? ` ${marked}` : `${lineBreak}${marker} ${marked}`;

export function createLayout(): LayOut {
  let previous: LayoutPart['kind'] | undefined;
  let table: string | undefined;

  function breakBefore(kind: LayoutPart['kind'], within: string): string {
    if (previous === undefined) return '';
    return kind === previous ? within : '\n\n';
  }

  return (part) => {
    const { text, indexes, kind, passage } = part;
    const mark = indexes.map((index) => `[${index}]`).join('');
    const marked = `${text} ${mark}`;
    let added: string;
    if (kind === 'row') {
      const header = headerOf(text, passage);
      const row = `${text.replace(/\|\s*$/, '').trimEnd()} ${mark} |`;
      const goesOn = previous === 'row' && header === table;
      added = goesOn ? `\n${row}` : `${breakBefore(kind, '\n\n')}${header === undefined ? '' : `${header}\n`}${row}`;
      table = header;
    } else if (kind === 'code') {
      const fence = fenceFor(text);
      added = `${breakBefore(kind, '\n\n')}${fence}\n${text}\n${fence}\n${mark}`;
    } else if (kind === 'item') added = itemLine(part, marked, breakBefore(kind, '\n'));
    else added = `${breakBefore(kind, ' ')}${marked}`;
    previous = kind;
    return added;
  };
}
