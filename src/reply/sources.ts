/**
 * Labels of passages for a model and for `Sources:`. Titles and headings are untrusted: a label has no links, line ends, addresses or text
 * that looks like another source.
 */

import { shownLine } from '../../packages/shared/src/language/invisible.ts';
import { decodeReferences } from '../../packages/shared/src/markdown/headings.ts';
import type { Passage } from '../documents/document.ts';

const maxLabelChars = 1_000;

const address = /\b[a-z][a-z0-9+.-]{1,30}:\/\/\S*|\bwww\.\S+|(?<!\S)\S+@\S+\.\S+|\b(?:javascript|data|mailto|vbscript):\S*/gi;

const withoutMarkup = (text: string) =>
  shownLine(decodeReferences(text).normalize('NFKC'))
    .replace(/[[\]<>`*|\\]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, ' ')
    .replace(address, ' ');

/** In parentheses, text with such a character and without spaces looks like the target of a source line. */
const looksLikeTarget = /[./\\:@]/;

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

/** Returns a title or heading on one line, safe to show as a label. */
export const plainLabel = (text: string) => spaced(withWordsInParentheses(withoutMarkup(text).slice(0, maxLabelChars)));

/** Like `plainLabel`, but for a path, which is shown in parentheses. */
const plainTarget = (path: string) => spaced(withoutMarkup(path).replace(/[()]/g, ' '));

/** Returns the title and the headings, outermost first; a title among the headings appears once. */
export const placeNames = ({ document, headingPath }: Passage): readonly string[] =>
  headingPath.includes(document.title) ? headingPath : [document.title, ...headingPath];

const joined = (names: readonly string[]): string =>
  names
    .map(plainLabel)
    .filter((part) => part !== '')
    .join(' › ');

export const passageLabelOf = (passage: Passage): string => joined(placeNames(passage));

/** Returns a label that begins with the title; omits headings above the title. */
function shortLabelOf({ document, headingPath }: Passage): string {
  const from = headingPath.indexOf(document.title);
  return joined(from < 0 ? [document.title, ...headingPath] : headingPath.slice(from));
}

/** Returns the URL with a fragment, else the path or the stored file. */
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
