/**
 * Labels of passages for a model and for `Sources:`. Titles and headings are untrusted: a label has
 * no links, line ends, addresses or text that looks like another source.
 */

import { plainLabel } from '../../../packages/shared/src/language/label.ts';
import type { Chunk, Document, Passage } from '../../documents/document.ts';

/** Returns the title and the headings, outermost first; a title among the headings appears once. */
export const placeNames = ({ document, headingPath }: Passage): readonly string[] =>
  headingPath.includes(document.title) ? headingPath : [document.title, ...headingPath];

const joined = (names: readonly string[]) => names.map(plainLabel).filter(Boolean).join(' › ');

export const passageLabelOf = (passage: Passage) => joined(placeNames(passage));

/** A cited section. Citations of one section have one number. */
type CitedSection = Pick<Chunk, 'headingPath' | 'anchor' | 'page' | 'pageLabel'> &
  Readonly<Record<'documentId' | 'file' | 'title' | 'source', string> & { index: number }>;

export const isWebAddress = (source: string) => /^https?:\/\//i.test(source);

/** Returns headings below the title; all of them if the title is missing there. */
const belowTitle = ({ headingPath, title }: CitedSection) =>
  joined(headingPath.slice(headingPath.indexOf(title) + 1));

/** Returns the URL of a web page; with a fragment if the line names one section. */
function urlOf(source: string, only?: CitedSection) {
  const url = isWebAddress(source) ? URL.parse(source) : null;
  if (!url) return undefined;
  // Readers of PDF open a page by this fragment (RFC 8118).
  if (only && only.page !== null) url.hash = `page=${only.page}`;
  else if (only && only.anchor !== null) url.hash = only.anchor;
  return url.href.replace(/\(/g, '%28').replace(/\)/g, '%29');
}

function sourceLine(sections: readonly [CitedSection, ...CitedSection[]]) {
  const [{ title, source, file }] = sections;
  const numbers = sections.map(({ index }) => `[${index}]`).join('');
  const places = sections.map((section) => {
    const page = section.page === null ? '' : `page ${section.pageLabel ?? section.page}`;
    return [belowTitle(section), page].filter(Boolean).join(', ');
  });
  const named = [...new Set(places)].filter(Boolean).join('; ');
  const separator = named.startsWith('page ') ? ', ' : ' › ';
  const url = urlOf(source, sections.length === 1 ? sections[0] : undefined);
  const label = [plainLabel(title) || (url ? '' : file), named].filter(Boolean).join(separator);
  return `${numbers} ${label}${url ? ` (${url})` : ''}`;
}

/**
 * Returns one line per document: its numbers, title and sections, and its URL if it has one.
 *
 * @param citations in the order of their numbers
 */
export function sourceLines(citations: readonly CitedSection[]) {
  const sections = citations.filter(
    ({ index }, at) => citations.findIndex((one) => one.index === index) === at,
  );
  const documents = Map.groupBy(sections, ({ documentId }) => documentId);
  return [...documents.values()].map((own) => sourceLine(own as [CitedSection, ...CitedSection[]]));
}

/** Numbers the sections of an answer, from 1. */
export class SectionNumbers {
  readonly #numbers = new Map<string, number>();

  of({ document, anchor, headingPath, page }: Passage) {
    const key = JSON.stringify([document.id, anchor ?? headingPath, page]);
    const number = this.#numbers.get(key) ?? this.#numbers.size + 1;
    this.#numbers.set(key, number);
    return number;
  }
}

/** Citations of one section share their number, but ids of sources must differ. */
export const sourceIdOf = (
  { index }: { readonly index: number },
  at: number,
  all: readonly { readonly index: number }[],
) => {
  const before = all.slice(0, at).filter((one) => one.index === index).length;
  return before === 0 ? String(index) : `${index}.${before + 1}`;
};

/** For clients that show the sources themselves. */
export const withoutNoSources = (text: string) => text.replace(/\n\nSources: none$/, '');

const listedSource = /^(?:\[\d{1,3}\])+ \[?(.{1,2000}?)\]?(?: ?\((?=[^()\s]*[./])([^()\s]*)\))?$/gm;
/** A client may send any text as an earlier answer. */
const maxListChars = 20_000;

/** Labels and targets in a list of sources that this server wrote. */
export const listedSources = (list: string) =>
  [...list.slice(0, maxListChars).matchAll(listedSource)].map(([, label = '', target]) => ({
    label,
    target,
  }));

const withoutHash = (url: string) => url.replace(/#.*$/, '');

/** Whether a list of sources names a document: by its URL or, without one, by its title. */
export function isListed({ source, title }: Document, list: string) {
  const url = urlOf(source);
  const name = plainLabel(title);
  return listedSources(list).some(({ label, target }) =>
    url === undefined
      ? label.startsWith(name) && /^(?:$| ›|,)/.test(label.slice(name.length))
      : target !== undefined && withoutHash(target) === withoutHash(url),
  );
}
