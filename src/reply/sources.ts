/**
 * Labels of passages for a model and for `Sources:`. Titles and headings are untrusted: a label has
 * no links, line ends, addresses or text that looks like another source.
 */

import { plainLabel, plainTarget } from '../../packages/shared/src/language/label.ts';
import type { Passage } from '../documents/document.ts';

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
  if (kind !== 'url' || !URL.canParse(source))
    return plainTarget(kind === 'file' ? source : file) || file;
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
