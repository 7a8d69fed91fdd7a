/**
 * Supported sentences → the body of an answer: prose runs on, list items and code keep their own lines, table rows stand under the
 * header that they have in their passage. Every piece ends in the number of its citation.
 */
import { holdsActiveMarkup } from '../text/active-markup.ts';
import { type Unit, units } from '../text/units.ts';

export interface Piece {
  readonly text: string;
  readonly kind: Unit['kind'];
  /** Of a list item. */
  readonly marker?: string | undefined;
  /** Number of its citation. */
  readonly index: number;
  /** The passage that supports it. */
  readonly passage: string;
}

const cellsOf = (row: string) =>
  row
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/).length;

/** The header above a row in its passage, with the line below it; nothing where there is none. */
function headerOf({ text, passage }: Piece): string | undefined {
  const row = [...units(passage)].find((unit) => unit.kind === 'row' && passage.slice(unit.start, unit.end) === text);
  const header = row?.header && passage.slice(row.header.start, row.header.end).trim();
  if (!header || holdsActiveMarkup(header) || cellsOf(header) !== cellsOf(text)) return undefined;
  return `${header}\n|${' --- |'.repeat(cellsOf(header))}`;
}

const fenceFor = (code: string) => '`'.repeat(Math.max(3, ...[...code.matchAll(/`+/g)].map(([run]) => run.length + 1)));

export function layOut(pieces: readonly Piece[]): string {
  let body = '';
  let previous: Piece['kind'] | undefined;
  let table: string | undefined;
  for (const piece of pieces) {
    const { text, kind, index, marker = '-' } = piece;
    const mark = `[${index}]`;
    const isSame = kind === previous;
    if (kind === 'row') {
      const header = headerOf(piece);
      const row = `${text.replace(/\|\s*$/, '').trimEnd()} ${mark} |`;
      if (isSame && header === table) body += `\n${row}`;
      else body += `${body === '' ? '' : '\n\n'}${header === undefined ? '' : `${header}\n`}${row}`;
      table = header;
    } else if (kind === 'code') {
      const fence = fenceFor(text);
      body += `${body === '' ? '' : '\n\n'}${fence}\n${text}\n${fence}\n${mark}`;
    } else if (kind === 'item') body += `${body === '' ? '' : isSame ? '\n' : '\n\n'}${marker} ${text} ${mark}`;
    else body += `${body === '' ? '' : isSame ? ' ' : '\n\n'}${text} ${mark}`;
    previous = kind;
  }
  return body;
}
