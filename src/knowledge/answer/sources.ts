/**
 * What a passage is called, for a model and in `Sources:`, and where it can be opened. Titles and headings come from documents: nothing
 * in one can open a link, end the line, name another address or look like another source.
 */
import type { Snippet } from '../types.ts';

const address = /\b[a-z][a-z0-9+.-]{1,30}:\/\/\S*|\bwww\.\S+|\S+@\S+\.\S+|\b(?:javascript|data|mailto|vbscript):\S*/gi;

const plainLabel = (text: string) =>
  text
    .normalize('NFKC')
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replace(/[[\]()<>`*_|\\]/g, ' ')
    .replace(address, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** Title and headings from the outermost, a title that is also the first heading once. */
export const placeNames = ({ document, headingPath }: Snippet): readonly string[] =>
  headingPath[0] === document.title ? headingPath : [document.title, ...headingPath];

export const labelOf = (snippet: Snippet): string =>
  placeNames(snippet)
    .map(plainLabel)
    .filter((part) => part !== '')
    .join(' › ');

/** Where a reader finds the passage: its URL with the place in it, else the path or the stored file. */
function targetOf(snippet: Snippet): string {
  const { kind, source, file } = snippet.document;
  if (kind !== 'url' || !URL.canParse(source)) return plainLabel(kind === 'file' ? source : file) || file;
  const url = new URL(source);
  // Readers of PDF open a page by this fragment (RFC 8118).
  if (snippet.page !== null) url.hash = `page=${snippet.page}`;
  else if (snippet.anchor !== null) url.hash = snippet.anchor;
  return url.href.replace(/\(/g, '%28').replace(/\)/g, '%29');
}

/** A line of `Sources:`. */
export function sourceLine(index: number, snippet: Snippet): string {
  if (snippet.isRecord) return `[${index}] ${labelOf(snippet)}`;
  const page = snippet.page === null ? '' : `, page ${snippet.page}`;
  return `[${index}] ${labelOf(snippet) || snippet.document.file}${page} (${targetOf(snippet)})`;
}
