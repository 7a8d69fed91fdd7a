/**
 * What a passage is called, for a model and in `Sources:`, and where it can be opened. Titles and headings come from documents: nothing
 * in one can open a link, end the line, name another address or look like another source.
 */

import type { Passage } from '../documents/document.ts';
import { shownLine } from '../language/invisible.ts';
import { decodeReferences } from '../markdown/headings.ts';

const maxLabelChars = 1_000;

const address = /\b[a-z][a-z0-9+.-]{1,30}:\/\/\S*|\bwww\.\S+|(?<!\S)\S+@\S+\.\S+|\b(?:javascript|data|mailto|vbscript):\S*/gi;

/** On one line, without what could be read as a link, an address or markup. */
const withoutMarkup = (text: string) =>
  shownLine(decodeReferences(text).normalize('NFKC'))
    .replace(/[[\]<>`*|\\]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, ' ')
    .replace(address, ' ');

/** What stands in parentheses without a blank, with a dot or slash, looks like the target at the end of a source line. */
const looksLikeTarget = /[./\\:@]/;

/** Parentheses in pairs that hold words stay. */
function withWordsInParentheses(text: string): string {
  const opened: number[] = [];
  const characters = [...text];
  const kept = new Set<number>();
  for (const [at, character] of characters.entries()) {
    if (character === '(') opened.push(at);
    if (character !== ')') continue;
    const from = opened.pop();
    const inner =
      from === undefined
        ? ''
        : characters
            .slice(from + 1, at)
            .join('')
            .trim();
    if (from === undefined || inner === '' || (!/\s/.test(inner) && looksLikeTarget.test(inner))) continue;
    kept.add(from).add(at);
  }
  return characters.map((character, at) => (/[()]/.test(character) && !kept.has(at) ? ' ' : character)).join('');
}

const spaced = (text: string) => text.replace(/\s+/g, ' ').trim();

/** A title or heading as it is written, on one line. Nothing in it opens a link, names an address or looks like the target of a source. */
export const plainLabel = (text: string) => spaced(withWordsInParentheses(withoutMarkup(text).slice(0, maxLabelChars)));

/** The same for a path, which stands in parentheses itself. */
const plainTarget = (path: string) => spaced(withoutMarkup(path).replace(/[()]/g, ' '));

/** Title and headings from the outermost, a title that is also one of the headings once. */
export const placeNames = ({ document, headingPath }: Passage): readonly string[] =>
  headingPath.includes(document.title) ? headingPath : [document.title, ...headingPath];

const joined = (names: readonly string[]): string =>
  names
    .map(plainLabel)
    .filter((part) => part !== '')
    .join(' › ');

export const passageLabelOf = (passage: Passage): string => joined(placeNames(passage));

/** Begins with the title, so that it says what every other place says; what stands above it there is left out. */
function shortLabelOf({ document, headingPath }: Passage): string {
  const from = headingPath.indexOf(document.title);
  return joined(from < 0 ? [document.title, ...headingPath] : headingPath.slice(from));
}

/** Where a reader finds the passage: its URL with the place in it, else the path or the stored file. */
function targetOf(passage: Passage): string {
  const { kind, source, file } = passage.document;
  if (kind !== 'url' || !URL.canParse(source)) return plainTarget(kind === 'file' ? source : file) || file;
  const url = new URL(source);
  // Readers of PDF open a page by this fragment (RFC 8118).
  if (passage.page !== null) url.hash = `page=${passage.page}`;
  else if (passage.anchor !== null) url.hash = passage.anchor;
  return url.href.replace(/\(/g, '%28').replace(/\)/g, '%29');
}

export function sourceLine(index: number, passage: Passage): string {
  if (passage.isRecord) return `[${index}] ${shortLabelOf(passage)}`;
  const page = passage.page === null ? '' : `, page ${passage.page}`;
  return `[${index}] ${shortLabelOf(passage) || passage.document.file}${page} (${targetOf(passage)})`;
}
