/**
 * Checks whether a stored document still contains a quote. Only the current text counts, because
 * callers send offsets and revision.
 */

export type QuotedSpan = Readonly<{
  quote: string;
  /** UTF-16 offset in the stored file at the time of the answer. */
  start: number;
  end: number;
  revision: string;
}>;

/**
 * `holds`: the file is unchanged. `moved`: the quote is now at `start` to `end`. `gone`: the
 * document or the quote is missing.
 */
export type CitationStatus =
  | Readonly<{ status: 'holds' | 'moved'; start: number; end: number }>
  | { readonly status: 'gone' };

/**
 * Returns the matched length of `quote` after one more unit (Knuth, Morris & Pratt 1977).
 * @param borders for each prefix of the quote, the length of its longest proper prefix that also
 * ends it
 */
function matchedAfter(unit: number, quote: string, matched: number, borders: Int32Array) {
  let length = matched;
  while (length > 0 && unit !== quote.charCodeAt(length)) length = borders[length - 1] ?? 0;
  return unit === quote.charCodeAt(length) ? length + 1 : length;
}

/**
 * Finds the occurrence nearest to `near`; on a tie, the first. Runs in linear time for any input:
 * `indexOf` does not promise that, and the caller chooses the quote.
 */
function nearestOccurrence(text: string, quote: string, near: number) {
  const borders = new Int32Array(quote.length);
  for (let at = 1; at < quote.length; at++)
    borders[at] = matchedAfter(quote.charCodeAt(at), quote, borders[at - 1] ?? 0, borders);
  let nearest: number | undefined;
  for (let at = 0, matched = 0; at < text.length; at++) {
    matched = matchedAfter(text.charCodeAt(at), quote, matched, borders);
    if (matched < quote.length) continue;
    const start = at - quote.length + 1;
    matched = borders[matched - 1] ?? 0;
    if (nearest !== undefined && Math.abs(start - near) >= Math.abs(nearest - near)) return nearest;
    nearest = start;
  }
  return nearest;
}

/**
 * @param storedText current text of the file; undefined if the document is missing @param
 * storedRevision revision of that text
 */
export function verifyCitation(
  storedText: string | undefined,
  storedRevision: string | undefined,
  { quote, start, end, revision }: QuotedSpan,
): CitationStatus {
  if (storedText === undefined || quote === '') return { status: 'gone' };
  const isInPlace =
    start >= 0 && end - start === quote.length && storedText.slice(start, end) === quote;
  if (isInPlace) return { status: revision === storedRevision ? 'holds' : 'moved', start, end };
  const found = nearestOccurrence(storedText, quote, start);
  return found === undefined
    ? { status: 'gone' }
    : { status: 'moved', start: found, end: found + quote.length };
}
